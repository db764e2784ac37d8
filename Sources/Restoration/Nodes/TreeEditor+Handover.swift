extension TreeEditor {
  /// The handover ends: whoever had to leave is gone, or all is as it was before.
  ///
  /// - Returns: The paths that former nodes did not leave.
  func end(_ handover: Handover) -> [String] {
    let taken = handover.steps.flatMap(\.nodes).filter { $0.status != .closed }
    let left = taken.filter { $0.rival?.status == .live }
    guard left.isEmpty else {
      let paths = Set(left.map(\.path.text))
      for step in handover.steps.reversed() { takeBack(step) }
      return Array(paths)
    }
    for entry in taken {
      let former = entry.rival
      entry.displaced = nil
      if let former { close(former) }
    }
    for shown in handover.shown.values where shown.above.status != .closed {
      // Who is shown stays so under another name; who left is followed by whoever has the name now.
      let ids = shown.children.map { id, entry in
        entry.map { $0.status != .closed && $0.parent === shown.above ? $0.path.id : id } ?? id
      }
      select(ids, renamedIn: shown.above)
    }
    return []
  }

  /// Takes note of what a node shows, before its children change their names.
  func keepShown(of above: NodeEntry) {
    guard !above.selection.isEmpty, objects.handover?.shown[ObjectIdentifier(above)] == nil else { return }
    let children = Selection.ids(above.selection).map { ($0, tree.child($0, of: above)) }
    objects.handover?.shown[ObjectIdentifier(above)] = Handover.Shown(above: above, children: children)
  }

  private func takeBack(_ step: Handover.Step) {
    switch step {
    case .opened(let entry): if entry.status != .closed { withdraw(entry) }
    case .moved(let move): if move.entry.status != .closed { takeBack(move) }
    }
  }

  private func takeBack(_ move: NodeMove) {
    for (entry, path, record) in move.former {
      let key = entry.key
      rename(entry, to: path)
      entry.recordPlace = record
      changes.keep(entry)
      scene.breaker.rename(key, to: entry.key)
    }
    tree.putBack(move)
  }
}

extension NodeEntry {
  /// Who was at its path before, and is still.
  fileprivate var rival: NodeEntry? { displaced.flatMap { $0.status != .closed && $0.path == path ? $0 : nil } }
}

extension Handover.Step {
  /// Those that may have taken somebody's path.
  @MainActor fileprivate var nodes: [NodeEntry] {
    switch self {
    case .opened(let entry): [entry]
    case .moved(let move): move.former.map(\.entry)
    }
  }
}
