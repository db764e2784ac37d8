extension Restoration {
  /// Makes a node and its screen, in the normal run: by the same factory as restore.
  ///
  /// What an earlier process left at that path, and could not be restored, is replaced; a draft of it with edits is
  /// not: the new node's own context gets a draft of its own, and the earlier one stays in `store.drafts`. No two live
  /// nodes have one context, of whatever scene.
  ///
  /// - Parameters:
  ///   - id: The node's restoration ID, its own among its siblings.
  ///   - parent: The live node above; `nil` makes a root.
  ///   - resumingDraft: Whether edits that the last node at that path left in its draft are to be in the own context,
  ///     also if the draft is named otherwise, as that node had been moved there. What a live node has is not left,
  ///     unless this one takes its place in a ``handover(_:)``.
  ///   - draft: The ID of the draft that the own context is to take up, out of `store.drafts`: one whose node is gone.
  /// - Throws: ``RestorationError``: before restore has finished; an impossible ID; the path is in use; there is no
  ///   live node above; the kind is not defined; something that it needs is missing or not ready; its factory threw, or
  ///   returned `nil`.
  @discardableResult
  public func open<State, Screen>(
    _ kind: NodeKind<State, Screen>, id: String, under parent: NodePath? = nil, state: State,
    resumingDraft: Bool = false, draft: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws -> Screen {
    try requirePlace(under: parent, "A node was opened")
    guard let definition = kinds[kind.name] as? OnePhaseKind<State, Screen> else {
      throw RestorationError.unknownKind(kind.name)
    }
    if let entry = try archived(kind.name, id, parent) {
      do throws(Unmet) {
        guard let screen = try make(entry, definition) as? Screen else { throw .failed("it has another screen") }
        return screen
      } catch {
        throw error.error(at: entry.path)
      }
    }
    let entry = try place(kind.name, id, parent, RegistrationSite(file, line))
    entry.wish = draft.map { .named($0) } ?? (resumingDraft ? .left : .new)
    defer { finishMaking() }
    do throws(Unmet) {
      let made = try whileMaking(entry) { () throws(Unmet) in try definition.opened(state, entry, in: self) }
      guard let screen = made else { throw .failed("its factory returned nothing") }
      guard entry.status != .closed else { throw .failed("its factory closed it") }
      took(entry, screen, definition)
      return screen
    } catch {
      withdraw(entry)
      throw error.error(at: entry.path)
    }
  }

  /// As ``open(_:id:under:state:resumingDraft:draft:file:line:)``, after waiting for what the kind needs that is
  /// registered late.
  @discardableResult
  public func openWhenReady<State, Screen>(
    _ kind: NodeKind<State, Screen>, id: String, under parent: NodePath? = nil, state: State,
    resumingDraft: Bool = false, draft: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws -> Screen {
    try requireRestored("A node was opened")
    for need in kinds[kind.name]?.needs ?? [] {
      if let key = need.key { await objects[key]?.late?.value }
    }
    return try open(
      kind, id: id, under: parent, state: state, resumingDraft: resumingDraft, draft: draft, file: file, line: line)
  }

  /// Gives a two-step screen that the program made a place in the tree, so that it comes back after a relaunch. It has
  /// one place at a time.
  ///
  /// - Throws: as ``open(_:id:under:state:resumingDraft:draft:file:line:)``, and
  ///   ``RestorationError/alreadyAdopted(_:_:)``.
  @discardableResult
  public func adopt<Screen: RestorableScreen>(
    _ screen: Screen, kind: String, id: String, under parent: NodePath? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) throws -> NodePath {
    try requirePlace(under: parent, "A screen was adopted")
    guard let definition = kinds[kind] as? TwoStepKind else { throw RestorationError.unknownKind(kind) }
    if let first = self.entry(of: screen) { throw RestorationError.alreadyAdopted(first.path, first.site) }
    if let entry = try archived(kind, id, parent) {
      do throws(Unmet) { try make(entry, as: screen, definition) } catch { throw error.error(at: entry.path) }
      return entry.path
    }
    let entry = try place(kind, id, parent, RegistrationSite(file, line))
    took(entry, screen, definition)
    return entry.path
  }

  /// The screen of a live node; `nil` if there is no such node, or it is of another kind.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func screen<State, Screen>(
    _ kind: NodeKind<State, Screen>, at path: NodePath
  ) throws -> Screen? {
    try requireRestored("A screen was asked for")
    guard let entry = tree[path], entry.kind == kind.name else { return nil }
    return entry.screen as? Screen
  }

  /// The two-step screen of a live node; `nil` if there is no such node, or it is of another type.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func screen<Screen: RestorableScreen>(
    at path: NodePath, as type: Screen.Type = Screen.self
  ) throws -> Screen? {
    try requireRestored("A screen was asked for")
    return tree[path]?.screen as? Screen
  }

  /// The live nodes directly below a node, the roots for `nil`: in the order in which they were made there or moved
  /// there, before a relaunch and after it.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func children(of path: NodePath?) throws -> [NodePath] {
    try requireRestored("Nodes were asked for")
    if let path, tree[path] == nil { return [] }
    return tree.children(of: path.flatMap { tree[$0] }).filter { $0.status == .live }.map(\.path)
  }

  /// Takes the node of a two-step screen, and all below it, out of the tree and out of the archive.
  public func close(_ screen: any RestorableScreen) {
    if let entry = entry(of: screen) { close(entry) }
  }

  /// Moves the node of a two-step screen, and all below it, as ``RestorationNode/move(id:under:)`` does.
  ///
  /// - Throws: ``RestorationError``, and nothing is moved; ``RestorationError/notAdopted`` for a screen that has no
  ///   node.
  public func move(
    _ screen: any RestorableScreen, id: String? = nil, under parent: NodePath?
  ) throws {
    guard let entry = entry(of: screen) else { throw RestorationError.notAdopted }
    try move(entry, id: id ?? entry.path.id, under: parent)
  }

  /// Takes the node at a path, and all below it, out of the tree and out of the archive: a live one, or one that was
  /// not restored. Drafts stay in `store.drafts`.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/noSuchNode(_:)`` if
  ///   there is none.
  public func close(at path: NodePath) throws {
    try requireRestored("A node was to be closed")
    guard let entry = tree[path] else { throw RestorationError.noSuchNode(path) }
    close(entry)
  }

  func entry(of screen: any RestorableScreen) -> NodeEntry? { twoStep[ObjectIdentifier(screen)] }

  // MARK: Places

  /// Before restore has finished, nothing is opened but what a factory opens below its own node.
  private func requirePlace(under parent: NodePath?, _ what: String) throws(RestorationError) {
    if phase == .restoring, let parent, let above = tree[parent], isBelowFactory(above) { return }
    try requireRestored(what)
  }

  /// The node of the archive that a factory asks for below its own, which is made from the archive as well.
  private func archived(_ kind: String, _ id: String, _ parent: NodePath?) throws(RestorationError) -> NodeEntry? {
    guard running > 0, let parent, let above = tree[parent], let entry = tree[try NodePath.of(id, under: parent)],
      entry.isStored, !entry.isOpaque, !entry.isBeingMade, entry.kind == kind, entry.status != .live,
      tree.parent(of: entry) === above, isBelowFactory(above)
    else { return nil }
    return entry
  }

  /// A new entry at a path. Who was there before is found again if the entry is withdrawn.
  private func place(
    _ kind: String, _ id: String, _ parent: NodePath?, _ site: RegistrationSite
  ) throws(RestorationError) -> NodeEntry {
    if let parent {
      guard let above = tree[parent], above.status == .live || above.isBeingMade else { throw .noSuchNode(parent) }
    }
    let path = try NodePath.of(id, under: parent)
    let former = tree[path]
    if let former, former.status == .live || former.isBeingMade, handover == nil {
      throw .duplicate(id: path.text, first: former.site, second: site)
    }
    let entry = NodeEntry(path: path, kind: kind, order: nextOrder(), site: site)
    entry.displaced = former
    tree.insert(entry)
    return entry
  }

  private func took(_ entry: NodeEntry, _ screen: AnyObject, _ definition: any KindDefinition) {
    became(entry, screen, definition)
    mark(entry)
    guard let former = entry.displaced else { return }
    if former.status == .live {
      handover?.nodes.append(entry)
    } else if running > 0 {
      former.status = .replaced
      replacing.append(entry)
    } else {
      entry.displaced = nil
      close(former)
    }
  }

  /// Takes a new entry, and what was opened below it, out again.
  func withdraw(_ entry: NodeEntry) {
    let gone = tree.subtree(of: entry)
    for other in gone {
      other.status = .closed
      unmake(other)
      release(other.needs)
      other.needs = []
      forgetReferences(to: other)
      tree.remove(other)
    }
    for other in gone {
      if let former = other.displaced, former.status != .closed {
        tree.hold(former)
        if former.status == .replaced { former.status = .kept }
        former.ownContext?.owner = former
      }
      other.displaced = nil
    }
  }

  // MARK: Leaving and moving

  /// Takes an entry and all below it out of the tree, and their records out of the archive.
  func close(_ entry: NodeEntry) {
    guard entry.status != .closed else { return }
    let gone = tree.subtree(of: entry)
    // Held until all are out: a screen that goes may close its own node.
    var screens: [AnyObject] = []
    for other in gone {
      other.status = .closed
      if let screen = other.screen { screens.append(screen) }
      rememberDraft(of: other)
      unmake(other)
      release(other.needs)
      other.needs = []
      if other.isStored { removedKeys.insert(other.key) }
      forgetReferences(to: other)
      tree.remove(other)
    }
    scheduleFlush()
    withExtendedLifetime(screens) {}
  }

  func move(_ entry: NodeEntry, id: String, under parent: NodePath?) throws(RestorationError) {
    let path = try NodePath.of(id, under: parent)
    guard path != entry.path else { return }
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
    let moved = tree.subtree(of: entry)
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
    nameReported()
    if let former = tree[path] { close(former) }
    // Renamed, it stays where it is among its siblings; else it is the last of the new ones, after a relaunch as well.
    let staysInPlace = path.parent == entry.path.parent
    if !staysInPlace {
      tree.unlink(entry)
      entry.order = nextOrder()
    }
    for other in moved {
      if other.isStored { removedKeys.insert(other.key) }
      if case .node(let above)? = other.context?.parent, above == old || above.hasPrefix(old + "/") {
        other.context?.parent = .node(path.text + above.dropFirst(old.count))
      }
      tree.rename(other, to: NodePath(unchecked: path.text + other.path.text.dropFirst(old.count)))
      other.node?.moved(to: other.path)
      other.isMoved = true
      mark(other)
    }
    if !staysInPlace { tree.link(entry) }
  }

  /// Larger than that of all nodes, unless an archive was made to have the largest that there is.
  private func nextOrder() -> UInt64 {
    if order < .max { order += 1 }
    return order
  }
}
