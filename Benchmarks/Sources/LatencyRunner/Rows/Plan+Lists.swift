extension Plan {
  /// Live lists of 100k objects. A condition is on an attribute without index, and half of the objects match.
  var listRows: [Row] {
    [
      list("open.condition", "a list with a condition, by date, opened", writes: false),
      list("change.condition", "one edit to the batch of a list with a condition"),
      list("change.twoKeys", "the same of a list with two sort keys and sections"),
      list("change.index", "the same of a list over an index"),
      list("change.saved", "1,000 objects that another context saved, to the batch of a list with a condition"),
      Row(
        name: "list.memory.condition", unit: .bytes, meaning: "a row of a list with a condition, anonymous memory",
        work: .size(StoreShape(objects: 100_000), command: "list-memory", label: "bytes", per: "rows")),
    ]
  }

  private func list(_ name: String, _ meaning: String, writes: Bool = true) -> Row {
    Row(
      name: "list.\(name)", unit: .microseconds, meaning: meaning,
      work: .asked(
        StoreShape(objects: 100_000), Question(subject: .list, name: name, samples: .slow, writes: writes)))
  }
}
