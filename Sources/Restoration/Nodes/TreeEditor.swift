import RepriseEventStore

/// Inserts, moves and removes nodes in the tree, together with their screens, references and records.
final class TreeEditor {
  let scene: Scene
  let changes: TurnChanges
  let tree: NodeTree
  let objects: ObjectRegistry
  let screens: TwoPhaseScreens
  private let drafts: NodeDrafts
  let report: ReportBuilder
  /// How many nodes have each screen.
  private var counts = ScreenCounts()

  init(
    _ scene: Scene, _ changes: TurnChanges, _ tree: NodeTree, _ objects: ObjectRegistry, _ screens: TwoPhaseScreens,
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

  /// Whether a node has a screen.
  func hasScreen(_ screen: AnyObject) -> Bool { counts.contains(screen) }

  /// Records that a node has got its screen.
  func became(_ entry: NodeEntry, _ screen: AnyObject, _ definition: any KindDefinition) {
    entry.status = .live
    entry.screen = screen
    counts.add(screen)
    if tree.use(entry) {
      entry.isRearranged = true
      changes.mark(entry)
    }
    let references = definition.references(of: entry)
    if definition.stateType != nil {
      objects.changeNeeds(of: entry, to: references)
      if entry.isMoved { changes.mark(entry) }
    } else {
      entry.needsOfKind = references
      screens.add(screen, entry)
    }
  }

  /// Releases a node's screen, and keeps its record.
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

  /// A reference to a node.
  func reference(to entry: NodeEntry) -> NodeReference? { screens.reference(to: entry) }

  // MARK: Coming and leaving

  /// Throws if a part of the archive could not be read.
  func requireRead() throws(RestorationError) { if let failure = tree.takeFailure() { throw .store(failure) } }

  /// Adds a new entry at a path. If the new entry is withdrawn, the former entry is found there again.
  func place(
    _ kind: String, _ id: String, _ parent: NodePath?, _ site: RegistrationSite
  ) throws(RestorationError) -> NodeEntry {
    if let parent {
      guard let above = tree[parent], above.status == .live || above.isBeingMade, !isLeaving(above) else {
        throw .noSuchNode(parent)
      }
    }
    let path = try NodePath.of(id, under: parent)
    let former = tree[path]
    // Reads the nodes below it, which leave with it.
    if let former { _ = tree.subtree(of: former) }
    try requireRead()
    if let former, former.status == .live || former.isBeingMade, objects.handover == nil {
      throw .duplicate(id: path.text, first: former.site, second: site)
    }
    if objects.handover != nil { keepShown(of: parent.flatMap { tree[$0] } ?? tree.top) }
    let entry = NodeEntry(path: path, kind: kind, order: tree.nextOrder(), site: site)
    entry.displaced = former
    tree.insert(entry)
    return entry
  }

  /// Removes a new entry again, with the nodes that were opened below it.
  func withdraw(_ entry: NodeEntry) {
    let gone = tree.subtree(of: entry)
    for other in gone {
      other.status = .closed
      remove(other)
    }
  }

  /// An entry has left a path. If the former entry there did not leave, it gets the path back.
  func left(_ path: NodePath, _ entry: NodeEntry, _ former: NodeEntry?) {
    var present = tree.entries[path.text]
    while let here = present {
      // Another entry had taken its place.
      if here.displaced === entry {
        here.displaced = former
        return
      }
      present = here.displaced
    }
    guard let former, former.status != .closed, former.path == path else { return }
    tree.hold(former)
    changes.keep(former)
    if former.status == .replaced { former.status = former.outcome == .deferred ? .deferred : .kept }
    former.ownContext?.owner = former
  }

  /// Defers nodes until they are requested.
  func putOff(_ entry: NodeEntry) {
    for other in tree.knownSubtree(of: entry) where other.status != .closed && other.status != .replaced {
      other.status = .deferred
      if !other.isOpaque { other.outcome = .deferred }
    }
  }

  /// Takes an entry and all below it out of the tree, and their records out of the archive: in a handover, when that
  /// has finished.
  func close(_ entry: NodeEntry) {
    guard entry.status != .closed else { return }
    if objects.handover != nil {
      objects.handover?.closing.append(entry)
      return
    }
    let gone = tree.subtree(of: entry)
    // Unreadable nodes stay in the archive, without a parent.
    if let failure = tree.takeFailure() { scene.onProblem?(.store(failure)) }
    // Retained until all nodes have left, because the deinitialiser of a screen may close its node.
    var screens: [AnyObject] = []
    let keys = gone.map { $0.context == nil ? nil : tree.registeredContext(above: $0) }
    for (other, key) in zip(gone, keys) {
      other.status = .closed
      if let screen = other.screen { screens.append(screen) }
      drafts.remember(other, registeredAs: key) { report.title(of: other) }
      scene.breaker.release(other.key)
      if other.recordPlace == .atPath { changes.remove(other.key) }
      if other.isStored { tree.storedCount -= 1 }
      remove(other)
    }
    withExtendedLifetime(screens) {}
  }

  /// Takes nodes that were not read out of the archive.
  func drop(_ paths: [NodePath]) {
    for path in paths {
      tree.left.insert(path.text)
      let key = ArchiveKey.node(path)
      scene.breaker.release(key)
      changes.remove(key)
      tree.storedCount -= 1
    }
  }

  private func remove(_ entry: NodeEntry) {
    unmake(entry)
    objects.release(entry.needs)
    entry.needs = []
    screens.forgetReferences(to: entry)
    tree.remove(entry)
    let former = entry.displaced
    entry.displaced = nil
    left(entry.path, entry, former)
  }

  /// Takes all nodes out of the tree, and leaves them in the archive.
  ///
  /// - Returns: Their screens. Retain them until everything else is released.
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
}
