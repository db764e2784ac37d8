/// Moving nodes: elsewhere in the tree, and among their siblings.
extension TreeEditor {
  func move(_ entry: NodeEntry, id: String, under parent: NodePath?) throws(RestorationError) {
    let path = try NodePath.of(id, under: parent)
    let above = parent.map { tree[$0] } ?? tree.top
    let staysInPlace = above === entry.parent
    // During a handover, another node may have the path of the parent.
    if path == entry.path && (staysInPlace || objects.handover == nil) { return }
    if let above, above !== tree.top { tree.ask(for: above) }
    let old = entry.path.text
    let moved = tree.subtree(of: entry)
    // Reads the nodes below it, which move with it.
    if let former = tree[path] { _ = tree.subtree(of: former) }
    try requireRead()
    try requireMove(of: entry, moved, to: path, under: parent)
    report.nameNodes()
    if objects.handover != nil {
      objects.handover?.steps.append(.moved(NodeMove(of: entry, moved)))
      for above in [entry.parent, above] { if let above { keepShown(of: above) } }
    } else if let former = tree[path] {
      close(former)
    }
    // A renamed node keeps its place among its siblings. A moved node becomes the last child, also after a relaunch.
    if !staysInPlace {
      tree.unlink(entry)
      putLast(entry)
    } else if let above, objects.handover == nil {
      select(Selection.ids(above.selection).map { $0 == entry.path.id ? path.id : $0 }, renamedIn: above)
    }
    for other in moved {
      if other.recordPlace == .atPath { changes.remove(other.key) }
      if case .node(let above)? = other.context?.parent, above == old || above.hasPrefix(old + "/") {
        other.context?.parent = .node(path.text + above.dropFirst(old.count))
      }
      let formerKey = other.key
      rename(other, to: NodePath(unchecked: path.text + other.path.text.dropFirst(old.count)))
      scene.breaker.rename(formerKey, to: other.key)
      other.isRearranged = true
      changes.mark(other)
    }
    // An unmade node stays unmade, unless this one leaves again.
    for other in moved { if let former = other.displaced, former.status != .live { former.status = .replaced } }
    if !staysInPlace { tree.link(entry, under: above) }
  }

  /// Makes a node show the same children after some of them were renamed.
  func select(_ ids: [String], renamedIn above: NodeEntry) {
    let selection = Selection.text(ids)
    guard above.selection != selection else { return }
    tree.select(selection, in: above)
    // The selection of the scene is written with the record of the renamed node.
    if above === tree.top { return }
    above.isRearranged = true
    changes.mark(above)
  }

  /// Gives a node another path. If a node has the path during a handover, it gets the path back if this one leaves.
  func rename(_ entry: NodeEntry, to path: NodePath) {
    if path != entry.path {
      let (old, former) = (entry.path, entry.displaced)
      let present = objects.handover == nil ? nil : tree[path]
      tree.rename(entry, to: path)
      if entry.isStored { entry.recordPlace = .atFormerPath }
      entry.displaced = present
      left(old, entry, former)
    }
    entry.node?.moved(to: path)
  }

  /// Moves a node to this index among its listed siblings.
  func move(_ entry: NodeEntry, to index: Int) throws(RestorationError) {
    let siblings = tree.children(of: tree.parent(of: entry)).filter { $0.isListed && $0 !== entry }
    guard siblings.indices.contains(index) || index == siblings.endIndex else {
      throw .impossibleMove(entry.path, reason: "its index would be \(index), but must be 0 to \(siblings.count)")
    }
    try requireRead()
    let next = index < siblings.endIndex ? siblings[index] : nil
    var after = entry.next
    while let hidden = after, !hidden.isListed { after = hidden.next }
    guard after !== next else { return }
    objects.handover?.steps.append(.moved(NodeMove(of: entry, [entry])))
    let above = entry.parent
    tree.unlink(entry)
    if let next {
      tree.link(entry, before: next)
      entry.place = SiblingKey.between(entry.previous?.siblingKey, next.siblingKey)
      if entry.place.count > SiblingKey.longest { spread(around: entry) }
    } else {
      tree.link(entry, under: above)
      putLast(entry)
    }
    entry.isRearranged = true
    changes.mark(entry)
  }

  private func putLast(_ entry: NodeEntry) {
    entry.order = tree.nextOrder()
    entry.place = []
  }

  /// Gives shorter keys to a node and its moved neighbours, after many moves to one place.
  private func spread(around entry: NodeEntry) {
    var first = entry
    while let before = first.previous, !before.place.isEmpty { first = before }
    var run = [first]
    while let after = run.last?.next, !after.place.isEmpty { run.append(after) }
    let upper = run.last?.next?.siblingKey ?? SiblingKey.of(order: tree.nextOrder())
    let keys = SiblingKey.spread(run.count, between: first.previous?.siblingKey, and: upper)
    for (other, key) in zip(run, keys) where !other.isOpaque && other.place != key {
      other.place = key
      other.isRearranged = true
      changes.mark(other)
    }
  }

  /// Makes a node, or the scene for the top of the tree, show these children, the first one in front. If there are
  /// none, all children are visible.
  func select(_ ids: [String], in entry: NodeEntry) {
    let selection = Selection.text(ids)
    guard entry.selection != selection, entry.status != .closed else { return }
    tree.select(selection, in: entry)
    if entry === tree.top { return changes.changeInfo() }
    entry.isRearranged = true
    changes.mark(entry)
  }

  /// Throws for an impossible move, before anything is changed.
  private func requireMove(
    of entry: NodeEntry, _ moved: [NodeEntry], to path: NodePath, under parent: NodePath?
  ) throws(RestorationError) {
    let old = entry.path.text
    if let parent {
      guard let above = tree[parent], above.status == .live, !isLeaving(above) else { throw .noSuchNode(parent) }
      if above === entry || tree.ancestors(of: above).contains(where: { $0 === entry }) {
        throw .impossibleMove(entry.path, reason: "its new parent '\(parent)' is the screen itself, or is below it")
      }
    }
    if objects.handover == nil, let former = tree[path] {
      guard !former.isListed else { throw .duplicate(id: path.text, first: former.site, second: entry.site) }
    }
    if let opaque = moved.first(where: \.isOpaque) {
      throw .impossibleMove(
        opaque.path,
        reason: "this version of the program cannot read its saved state, and can only close it")
    }
    for other in moved {
      guard case .node(let above)? = other.context?.parent, above != old, !above.hasPrefix(old + "/") else { continue }
      guard path.text.hasPrefix(above + "/") else {
        throw .impossibleMove(
          other.path,
          reason: "its context is a child of the context of the screen '\(above)', which would no longer be above it")
      }
    }
    let longer = path.text.utf8.count - old.utf8.count
    if let deep = moved.first(where: { $0.path.text.utf8.count + longer > NodePath.longest }) {
      throw .impossibleMove(deep.path, reason: "its path would have more than \(NodePath.longest) bytes")
    }
  }
}
