extension Plan {
  /// Relationships, rules, and the way of a store to the next version of its models.
  var graphRows: [Row] {
    [
      asked("insert.unique", "one of 1,000 objects inserted in a save, with an attribute that is unique", writes: true),
      asked("insert.indexed", "the same, with an index and no rule", writes: true),
      asked("pair", "one of 1,000 pairs of a many-to-many made in a save", writes: true),
      asked("toOne", "one of 1,000 to-ones assigned in a save", writes: true),
      asked("move", "one of 10,000 ordered members put elsewhere, not saved", writes: true),
      Row(
        name: "graph.move.bytes", unit: .bytes, meaning: "what that adds to the log when it is saved",
        work: .size(graph, command: "graph-bytes", label: "bytes", per: nil)),
      asked("arrange", "one of 10,000 ordered members that are all assigned in another order, not saved"),
      asked("rename", "opening a store of 100k objects with a renamed attribute", writes: true),
      Row(
        name: "graph.convert", unit: .perSecond, meaning: "objects whose attribute a migration converts, with history",
        work: .rate(graph, command: "graph-convert", label: "objects", arguments: [])),
    ] + loadRows
  }

  /// Beside contexts that follow, that stay behind, and that have edits.
  private var loadRows: [Row] {
    if isQuick { return [] }
    return [
      Row(
        name: "load.1M", unit: .perSecond,
        meaning: "objects loaded with two relationships each, 1,000 a save, 1M of them",
        work: .rate(graph, command: "graph-load", label: "objects", arguments: [])),
      Row(
        name: "load.1M.memory", unit: .bytes, meaning: "anonymous memory at the end of that",
        work: .size(graph, command: "graph-load", label: "bytes", per: nil)),
    ]
  }

  private var graph: StoreShape { StoreShape(objects: 100_000, content: .graph) }

  private func asked(_ name: String, _ meaning: String, writes: Bool = false) -> Row {
    Row(
      name: "graph.\(name)", unit: .microseconds, meaning: meaning,
      work: .asked(graph, Question(subject: .graph, name: name, samples: .slow, writes: writes)))
  }
}
