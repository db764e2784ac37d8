extension Plan {
  /// Trees and drafts that are larger than what is visible of them. The store is open already.
  var restorationRows: [Row] {
    trees("visible", "the three visible nodes of a tree of")
      + trees("all", "each node of a tree that is all visible, of")
      + [
        asked("change", "one changed node of 10,000, handed to the journal", tree(10_000), writes: true),
        Row(
          name: "restoration.change.bytes", unit: .bytes, meaning: "bytes written for it",
          work: .size(tree(10_000), command: "restoration-bytes", label: "bytes", per: nil)),
        asked("flush", "a change that the journal has, to its file", tree(10_000), writes: true),
        asked(
          "lag.import", "an edit, to the journal's file, while another process imports a million objects",
          StoreShape(objects: 10_000), samples: .slow, writes: true),
        asked(
          "lag.flush", "an edit, to the journal's file, while each flush takes half a second longer",
          StoreShape(objects: 10_000), samples: .slow, writes: true),
        asked("remote", "50 of 10,000 rows of a server that does not answer", mirror),
        asked("remote.list", "the same of a list without a server", mirror),
        loaded("remote.load", "10,000 rows", command: "mirror-load"),
        loadedMemory("remote.load.memory", "10,000 rows", command: "mirror-load"),
        asked("draft", "100k edits of a draft, to its context", drafts, samples: .slow),
        asked("draft.visible", "50 of the objects that are edited in it, by their IDs", drafts, samples: .slow),
      ] + (isQuick ? [] : millionRows)
  }

  private var millionRows: [Row] {
    [
      asked(
        "remote", "50 of 1,000,000 rows of a server that does not answer", size: ".1M",
        StoreShape(objects: 1_000_000, content: .mirror), samples: .slow),
      loaded("remote.load.1M", "1,000,000 rows", command: "mirror-load-1M"),
      loadedMemory("remote.load.1M.memory", "1,000,000 rows", command: "mirror-load-1M"),
    ]
  }

  private func loaded(_ name: String, _ rows: String, command: String) -> Row {
    Row(
      name: "restoration.\(name)", unit: .perSecond, meaning: "\(rows) of a server, cached in pages of 1,000",
      work: .rate(mirror, command: command, label: "objects", arguments: []))
  }

  private func loadedMemory(_ name: String, _ rows: String, command: String) -> Row {
    Row(
      name: "restoration.\(name)", unit: .bytes, meaning: "anonymous memory at the end of that, \(rows) in a list",
      work: .size(mirror, command: command, label: "bytes", per: nil))
  }

  private var mirror: StoreShape { StoreShape(objects: 10_000, content: .mirror) }
  private var drafts: StoreShape { StoreShape(objects: 100_000, content: .drafts) }

  private func tree(_ nodes: Int) -> StoreShape { StoreShape(objects: nodes, content: .tree) }

  private func trees(_ name: String, _ meaning: String) -> [Row] {
    let sizes = [("100", 100), ("10k", 10_000)] + (profile == .quick ? [] : [("100k", 100_000)])
    return sizes.map { size, nodes in
      asked(name, "\(meaning) \(size)", size: ".\(size)", tree(nodes), samples: .slow)
    }
  }

  private func asked(
    _ name: String, _ meaning: String, size: String = "", _ shape: StoreShape, samples: Question.Samples = .fast,
    writes: Bool = false
  ) -> Row {
    Row(
      name: "restoration.\(name)\(size)", unit: .microseconds, meaning: meaning,
      work: .asked(shape, Question(subject: .restoration, name: name, samples: samples, writes: writes)))
  }
}
