extension Plan {
  /// The past, what takes it back, and what another process saves.
  var historyRows: [Row] {
    [
      asked("past.object.10", "a value of an object with 10 versions, at one of them"),
      asked("past.object.10k", "the same with 10,000 versions"),
      asked("past.fetch50", "50 of 100k objects by a date, 1,000 transactions back; what differs is known"),
      asked("past.fetch50.head", "the same at the head"),
      asked("history.object", "the history of an object, 1,000 versions", .slow),
      asked("history.fetch", "what the last 1,000 transactions changed in a query, 500 of them", .slow),
      asked("undo.saved", "a transaction of 100 events taken back and saved durably", .slow, writes: true),
      asked("undo.saved.save", "what it takes back, made and saved", .slow, writes: true),
      asked("merge.1000", "1,000 changes saved durably over as many conflicts, by a policy", .slow, writes: true),
      asked("merge.1000.save", "the same without conflicts", .slow, writes: true),
      asked("feed.process", "from a save's return to the transaction in another process", writes: true),
    ] + farRows + firstRows + copyRows + [
      Row(
        name: "log.keystroke", unit: .bytes,
        meaning: "what a keystroke in a text of 100 KB adds to the log, keyframes included",
        work: .size(StoreShape(objects: 10_000), command: "type", label: "log", per: "keystrokes")),
      Row(
        name: "log.keystroke.written", unit: .bytes, meaning: "bytes written for it",
        work: .size(StoreShape(objects: 10_000), command: "type", label: "written", per: "keystrokes")),
    ]
  }

  /// A position that so many transactions lie behind; a hundred thousand of them in a quick run.
  private var farRows: [Row] {
    let shape = long(.longHistory)
    return [
      asked("past.fetch50.far", "50 of 100k objects by a date, all transactions back", .slow, shape),
      asked("past.pins", "one attribute saved durably, 100 contexts as far back", .slow, shape, writes: true),
      asked("past.pins.none", "the same without them", .slow, shape, writes: true),
    ]
  }

  /// The first fetch of a context, by an index that keeps history and by one that keeps none.
  private var firstRows: [Row] {
    let kept = long(.keptHistory)
    let back = ["1k", "100k"] + (isQuick ? [] : ["1M"])
    return [asked("past.first.head", "50 of 100k objects by a date, in a new context at the head", .slow, kept)]
      + back.map { asked("past.first.\($0)", "the same \($0) transactions back; the index keeps history", .slow, kept) }
      + back.map {
        asked("past.first.\($0).log", "the same without this history, from the log", .slowest, long(.longHistory))
      }
  }

  private func long(_ content: StoreShape.Content) -> StoreShape {
    StoreShape(objects: 100_000, events: isQuick ? 200_000 : 1_100_000, content: content)
  }

  private var copyRows: [Row] {
    [
      ("compact", "bytes of a store compacted"), ("backup", "bytes of it backed up"),
      ("copy", "bytes of its file copied, and flushed"),
    ].map { name, meaning in
      Row(
        name: name, unit: .perSecond, meaning: meaning,
        work: .rate(Self.history, command: name, label: "bytes", arguments: []))
    }
  }

  private static let history = StoreShape(objects: 100_000, events: 112_007, content: .history)

  private func asked(
    _ name: String, _ meaning: String, _ samples: Question.Samples = .fast, _ shape: StoreShape = history,
    writes: Bool = false
  ) -> Row {
    Row(
      name: name, unit: .microseconds, meaning: meaning,
      work: .asked(
        shape,
        Question(subject: .history, name: name, samples: samples, writes: writes)))
  }
}
