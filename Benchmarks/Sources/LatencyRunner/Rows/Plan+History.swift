extension Plan {
  /// The past, what takes it back, and what another process saves.
  var historyRows: [Row] {
    [
      asked("past.object.10", "a value of an object with 10 versions, at one of them"),
      asked("past.object.10k", "the same with 10,000 versions"),
      asked("past.fetch50", "50 of 100k objects by a date, 1,000 transactions back; what differs is known"),
      asked("past.fetch50.head", "the same at the head"),
      asked("history.object", "the history of an object, 1,000 versions", .slow),
      asked("undo.saved", "a transaction of 100 events taken back and saved durably", .slow, writes: true),
      asked("undo.saved.save", "what it takes back, made and saved", .slow, writes: true),
      asked("feed.process", "from a save's return to the transaction in another process", writes: true),
    ]
  }

  private func asked(
    _ name: String, _ meaning: String, _ samples: Question.Samples = .fast, writes: Bool = false
  ) -> Row {
    Row(
      name: name, unit: .microseconds, meaning: meaning,
      work: .asked(
        StoreShape(objects: 100_000, events: 112_007, content: .history),
        Question(subject: .history, name: name, samples: samples, writes: writes)))
  }
}
