extension TreeEditor {
  /// Whether a node is closed when the handover has finished.
  func isLeaving(_ entry: NodeEntry) -> Bool { tree.isAmong(objects.closing, entry) }

  /// The paths of nodes that have to leave and have not left.
  func inTheWay(_ handover: Handover) -> [String] {
    var paths: Set<String> = []
    for step in handover.steps {
      for entry in step.nodes where entry.status != .closed && !isLeaving(entry) {
        var former = entry.displaced
        while let here = former, isLeaving(here) { former = here.displaced }
        if let former, step.isInTheWay(former), former.path == entry.path { paths.insert(entry.path.text) }
      }
    }
    return Array(paths)
  }

  /// Finishes a handover, because the nodes that had to leave have left.
  func finish(_ handover: Handover) {
    for entry in handover.closing { close(entry) }
    for entry in handover.steps.flatMap(\.nodes) where entry.status != .closed {
      let former = entry.rival
      entry.displaced = nil
      if let former { close(former) }
    }
    for shown in handover.shown.values where shown.above.status != .closed {
      // A visible node stays visible under its new name. If it left, the node with its former name is visible.
      let ids = shown.children.map { id, entry in
        entry.map { $0.status != .closed && $0.parent === shown.above ? $0.path.id : id } ?? id
      }
      select(ids, renamedIn: shown.above)
    }
  }

  /// Restores the state from before the handover.
  func undo(_ handover: Handover) {
    for step in handover.steps.reversed() { takeBack(step) }
    for entry in handover.closing.flatMap(tree.knownSubtree) where entry.status != .closed { stay(entry) }
  }

  /// Remembers the visible children of a node before they get new names.
  func keepShown(of above: NodeEntry) {
    guard !above.selection.isEmpty, objects.handover?.shown[ObjectIdentifier(above)] == nil else { return }
    let children = Selection.ids(above.selection).map { ($0, tree.child($0, of: above)) }
    objects.handover?.shown[ObjectIdentifier(above)] = Handover.Shown(above: above, children: children)
  }

  private func takeBack(_ step: Handover.Step) {
    switch step {
    case .opened(let entry): if entry.status != .closed { withdraw(entry) }
    case .made(let entry, let needs): if entry.status != .closed { takeBack(entry, needs) }
    case .moved(let move): if move.entry.status != .closed { takeBack(move) }
    }
  }

  /// Defers a node again that the handover made with another state. The node gets its archived state back.
  private func takeBack(_ entry: NodeEntry, _ needs: [String]) {
    for other in tree.knownSubtree(of: entry) { unmake(other) }
    putOff(entry)
    objects.changeNeeds(of: entry, to: needs)
    entry.isMoved = false
    report.update()
  }

  /// A node that should be closed gets back the parts that other nodes received from it.
  private func stay(_ entry: NodeEntry) {
    if let screen = entry.screen, entry.node == nil { screens.add(screen, entry) }
    if let context = entry.ownContext, context.owner == nil { context.owner = entry }
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
  /// The former node at its path, if that is still there.
  fileprivate var rival: NodeEntry? { displaced.flatMap { $0.status != .closed && $0.path == path ? $0 : nil } }
}

extension Handover.Step {
  /// The nodes that may have taken the path of another one.
  fileprivate var nodes: [NodeEntry] {
    switch self {
    case .opened(let entry): [entry]
    case .made: []
    case .moved(let move): move.former.map(\.entry)
    }
  }

  /// Whether a former node must leave first. A deferred node gives way to a new node of another kind, but not to a
  /// moved node.
  fileprivate func isInTheWay(_ former: NodeEntry) -> Bool {
    if former.status == .live { return true }
    if case .moved = self { return former.status == .replaced && former.outcome == .deferred }
    return false
  }
}
