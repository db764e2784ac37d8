/// Puts nodes into the tree, moves them and takes them out, with what hangs on them: screens, references, records.
@MainActor final class TreeEditor {
  let scene: Scene
  let changes: Changes
  private let tree: NodeTree
  private let objects: ObjectRegistry
  private let screens: TwoStepScreens
  private let drafts: NodeDrafts
  private let report: ReportBuilder
  private var counts = ScreenCounts()

  init(
    _ scene: Scene, _ changes: Changes, _ tree: NodeTree, _ objects: ObjectRegistry, _ screens: TwoStepScreens,
    _ drafts: NodeDrafts, _ report: ReportBuilder
  ) {
    self.scene = scene
    self.changes = changes
    self.tree = tree
    self.objects = objects
    self.screens = screens
    self.drafts = drafts
    self.report = report
  }

  // MARK: Screens

  /// Makes room for this many more screens.
  func reserve(_ count: Int) { counts.reserve(count) }

  /// A node has its screen.
  ///
  /// - Returns: Whether another node has it as well.
  @discardableResult
  func became(_ entry: NodeEntry, _ screen: AnyObject, _ definition: any KindDefinition) -> Bool {
    entry.status = .live
    entry.screen = screen
    let isReused = counts.add(screen)
    let references = definition.references(of: entry)
    if definition.stateType != nil {
      objects.changeNeeds(of: entry, to: references)
      if entry.isMoved { changes.mark(entry) }
    } else {
      entry.needsOfKind = references
      screens.add(screen, entry)
    }
    return isReused
  }

  /// Lets a node's screen go, and keeps its record.
  func unmake(_ entry: NodeEntry) {
    entry.node?.moved(to: nil)
    entry.node = nil
    if entry.ownContext?.owner === entry { entry.ownContext?.owner = nil }
    entry.ownContext = nil
    entry.isMoved = false
    entry.unmigrate()
    guard let screen = entry.screen else { return }
    screens.remove(screen, entry)
    counts.remove(screen)
    entry.screen = nil
  }

  // MARK: Coming and leaving

  /// A new entry at a path. The former one is found again if this one is withdrawn.
  func place(
    _ kind: String, _ id: String, _ parent: NodePath?, _ site: RegistrationSite
  ) throws(RestorationError) -> NodeEntry {
    if let parent {
      guard let above = tree[parent], above.status == .live || above.isBeingMade else { throw .noSuchNode(parent) }
    }
    let path = try NodePath.of(id, under: parent)
    let former = tree[path]
    // All below it go with it.
    if let former { _ = tree.subtree(of: former) }
    try requireRead()
    if let former, former.status == .live || former.isBeingMade, objects.handover == nil {
      throw .duplicate(id: path.text, first: former.site, second: site)
    }
    let entry = NodeEntry(path: path, kind: kind, order: tree.nextOrder(), site: site)
    entry.displaced = former
    tree.insert(entry)
    return entry
  }

  /// Takes a new entry out again, with what was opened below it.
  func withdraw(_ entry: NodeEntry) {
    let gone = tree.subtree(of: entry)
    for other in gone {
      other.status = .closed
      remove(other)
    }
    for other in gone {
      if let former = other.displaced, former.status != .closed {
        tree.hold(former)
        if former.status == .replaced { former.status = former.outcome == .deferred ? .deferred : .kept }
        former.ownContext?.owner = former
      }
      other.displaced = nil
    }
  }

  /// Takes an entry and all below it out of the tree, and their records out of the archive.
  func close(_ entry: NodeEntry) {
    guard entry.status != .closed else { return }
    let gone = tree.subtree(of: entry)
    // What could not be read stays in the archive, below nothing.
    if let failure = tree.takeFailure() { scene.onProblem?(.store(failure)) }
    // Held until all are out: a screen's deinitialiser may close its own node.
    var screens: [AnyObject] = []
    for other in gone {
      other.status = .closed
      if let screen = other.screen { screens.append(screen) }
      drafts.remember(other)
      scene.breaker.release(other.key)
      if other.isStored {
        changes.remove(other.key)
        tree.storedCount -= 1
      }
      remove(other)
    }
    withExtendedLifetime(screens) {}
  }

  private func remove(_ entry: NodeEntry) {
    unmake(entry)
    objects.release(entry.needs)
    entry.needs = []
    screens.forgetReferences(to: entry)
    tree.remove(entry)
  }

  /// Takes all nodes out of the tree, and leaves them in the archive.
  ///
  /// - Returns: Their screens, to be held until all else is let go.
  func removeAll() -> [AnyObject] {
    var screens: [AnyObject] = []
    for root in tree.children(of: nil) {
      for entry in tree.knownSubtree(of: root) {
        entry.status = .closed
        if let screen = entry.screen { screens.append(screen) }
        unmake(entry)
      }
    }
    self.screens.removeAll()
    tree.removeAll()
    return screens
  }

  // MARK: Moving

  func move(_ entry: NodeEntry, id: String, under parent: NodePath?) throws(RestorationError) {
    let path = try NodePath.of(id, under: parent)
    guard path != entry.path else { return }
    if let parent, let above = tree[parent] { tree.ask(for: above) }
    let old = entry.path.text
    let moved = tree.subtree(of: entry)
    try requireRead()
    try requireMove(of: entry, moved, to: path, under: parent)
    report.nameNodes()
    if let former = tree[path] { close(former) }
    // Renamed, it keeps its place among its siblings; moved, it becomes the last of the new ones, after a relaunch as
    // well.
    let staysInPlace = path.parent == entry.path.parent
    if staysInPlace {
      let above = tree.parent(of: entry) ?? tree.top
      let former = entry.path.id
      select(Selection.ids(above.selection).map { $0 == former ? path.id : $0 }, in: above)
    } else {
      tree.unlink(entry)
      putLast(entry)
    }
    for other in moved {
      if other.isStored { changes.remove(other.key) }
      if case .node(let above)? = other.context?.parent, above == old || above.hasPrefix(old + "/") {
        other.context?.parent = .node(path.text + above.dropFirst(old.count))
      }
      let formerKey = other.key
      tree.rename(other, to: NodePath(unchecked: path.text + other.path.text.dropFirst(old.count)))
      scene.breaker.rename(formerKey, to: other.key)
      other.node?.moved(to: other.path)
      other.isRearranged = true
      changes.mark(other)
    }
    if !staysInPlace { tree.link(entry) }
  }

  /// Refuses to go on where something of the archive could not be read.
  func requireRead() throws(RestorationError) { if let failure = tree.takeFailure() { throw .store(failure) } }

  /// Moves a node among its siblings, to be the one at this index of those that are listed.
  func move(_ entry: NodeEntry, to index: Int) throws(RestorationError) {
    let siblings = tree.children(of: tree.parent(of: entry)).filter { $0.isListed && $0 !== entry }
    guard siblings.indices.contains(index) || index == siblings.endIndex else {
      throw .impossibleMove(entry.path, reason: "its index would be \(index), and there are \(siblings.count) others")
    }
    try requireRead()
    let next = index < siblings.endIndex ? siblings[index] : nil
    var after = entry.next
    while let hidden = after, !hidden.isListed { after = hidden.next }
    guard after !== next else { return }
    tree.unlink(entry)
    if let next {
      tree.link(entry, before: next)
      entry.place = SiblingKey.between(entry.previous?.siblingKey, next.siblingKey)
      if entry.place.count > SiblingKey.longest { spread(around: entry) }
    } else {
      tree.link(entry)
      putLast(entry)
    }
    entry.isRearranged = true
    changes.mark(entry)
  }

  private func putLast(_ entry: NodeEntry) {
    entry.order = tree.nextOrder()
    entry.place = []
  }

  /// Gives a node, and those of its neighbours that were moved as it was, shorter keys. As many moves made that
  /// necessary.
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

  /// A node, or the scene for the top of the tree, shows these children, the first one in front; all of them for none.
  func select(_ ids: [String], in entry: NodeEntry) {
    let selection = Selection.text(ids)
    guard entry.selection != selection, entry.status != .closed else { return }
    tree.select(selection, in: entry)
    if entry === tree.top { return changes.changeInfo() }
    entry.isRearranged = true
    changes.mark(entry)
  }

  /// Refuses a move that cannot be, before anything is changed.
  private func requireMove(
    of entry: NodeEntry, _ moved: [NodeEntry], to path: NodePath, under parent: NodePath?
  ) throws(RestorationError) {
    let old = entry.path.text
    if let parent {
      guard let above = tree[parent], above.status == .live else { throw .noSuchNode(parent) }
      if parent == entry.path || parent.text.hasPrefix(old + "/") {
        throw .impossibleMove(entry.path, reason: "'\(parent)' is below it")
      }
    }
    if let former = tree[path] {
      guard former.status != .live else { throw .duplicate(id: path.text, first: former.site, second: entry.site) }
    }
    if let opaque = moved.first(where: \.isOpaque) {
      throw .impossibleMove(opaque.path, reason: "this version cannot read it; close it, or leave it where it is")
    }
    for other in moved {
      guard case .node(let above)? = other.context?.parent, above != old, !above.hasPrefix(old + "/") else { continue }
      guard path.text.hasPrefix(above + "/") else {
        throw .impossibleMove(
          other.path, reason: "its context is a child of that of '\(above)', which would not be above it")
      }
    }
    let longer = path.text.utf8.count - old.utf8.count
    if let deep = moved.first(where: { $0.path.text.utf8.count + longer > NodePath.longest }) {
      throw .impossibleMove(deep.path, reason: "its path would have more than \(NodePath.longest) bytes")
    }
  }
}
