/// The tree of nodes: its order, what of it is visible, and who leaves it.
extension Restoration {
  /// The nodes directly below a node, the roots for `nil`, live ones and those that were deferred: in the order in
  /// which they were made or moved there, before a relaunch and after it. Makes none.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func children(of path: NodePath?) throws -> [NodePath] {
    try currentScene.requireRestored("Nodes were asked for")
    let above = path.flatMap { tree[$0] }
    let children = path != nil && above == nil ? [] : tree.children(of: above)
    try editor.requireRead()
    return children.filter(\.isListed).map(\.path)
  }

  /// Takes the node of a two-step screen, and all below it, out of the tree and out of the archive.
  public func close(_ screen: any RestorableScreen) {
    if let entry = screens.entry(of: screen) { editor.close(entry) }
  }

  /// Moves the node of a two-step screen, and all below it, as ``RestorationNode/move(id:under:)`` does.
  ///
  /// - Throws: ``RestorationError``, and nothing is moved; ``RestorationError/notAdopted`` for a screen that has no
  ///   node.
  public func move(
    _ screen: any RestorableScreen, id: String? = nil, under parent: NodePath?
  ) throws {
    guard let entry = screens.entry(of: screen) else { throw RestorationError.notAdopted }
    try editor.move(entry, id: id ?? entry.path.id, under: parent)
  }

  /// Asks again for a node that was not restored, as its factory returned `nil` or threw, or as it was in quarantine:
  /// makes it, those above it that were not restored either, and what is below. Does nothing if it is live. Should one
  /// of them end the process, the next launch leaves it out.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/noSuchNode(_:)``;
  ///   else why it, or the first one above it, could not be made this time. Its state is kept.
  public func retry(at path: NodePath) throws {
    try currentScene.requireRestored("A node was asked for again")
    let entry = tree[path]
    try editor.requireRead()
    guard let entry else { throw RestorationError.noSuchNode(path) }
    try builder.ask(for: entry, isRetry: true)
  }

  /// The ID of the child that a node has in front, as ``RestorationNode/selection``, or of the root in front for `nil`;
  /// `nil` if it says nothing of its children, or there is no such node.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func selection(at path: NodePath?) throws -> String? { try visibleChildren(of: path).first }

  /// Says that a node shows this child only, as ``RestorationNode/selection`` does, or the scene this root only for a
  /// `nil` path; `nil` for all.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/noSuchNode(_:)``.
  public func select(_ id: String?, at path: NodePath?) throws {
    try setVisibleChildren(id.map { [$0] } ?? [], of: path)
  }

  /// The IDs of the children that a node shows, as ``RestorationNode/visibleChildren``, or of the roots that the scene
  /// shows for `nil`; empty if all are visible, or there is no such node.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func visibleChildren(of path: NodePath?) throws -> [String] {
    try currentScene.requireRestored("Visible nodes were asked for")
    let entry = if let path { tree[path] } else { tree.top }
    try editor.requireRead()
    return entry.map { Selection.ids($0.selection) } ?? []
  }

  /// Says which children a node shows, as ``RestorationNode/visibleChildren`` does, or which roots the scene shows for
  /// a `nil` path; none for all.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/noSuchNode(_:)``.
  public func setVisibleChildren(_ ids: [String], of path: NodePath?) throws {
    let what = "Visible nodes were set"
    try currentScene.requireRestored(what)
    let entry = if let path { try listed(path, what) } else { tree.top }
    editor.select(ids, in: entry)
  }

  /// Moves the node at a path, and all below it, as ``RestorationNode/move(id:under:)`` does: live or deferred; of the
  /// nodes above its new place, those that were deferred are made.
  ///
  /// - Throws: as that; ``RestorationError/notRestored(_:)`` before restore has finished.
  public func move(at path: NodePath, id: String? = nil, under parent: NodePath?) throws {
    try editor.move(listed(path, "A node was moved"), id: id ?? path.id, under: parent)
  }

  /// Moves the node at a path among its siblings, as ``RestorationNode/move(to:)`` does: live or deferred.
  ///
  /// - Throws: as that; ``RestorationError/notRestored(_:)`` before restore has finished.
  public func move(at path: NodePath, to index: Int) throws {
    try editor.move(listed(path, "A node was moved"), to: index)
  }

  private func listed(_ path: NodePath, _ what: String) throws(RestorationError) -> NodeEntry {
    try currentScene.requireRestored(what)
    let entry = tree[path]
    try editor.requireRead()
    guard let entry, entry.isListed else { throw .noSuchNode(path) }
    return entry
  }

  /// Takes the node at a path, and all below it, out of the tree and out of the archive: a live one, or one that was
  /// deferred or not restored. Drafts stay in `store.drafts`.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/noSuchNode(_:)`` if
  ///   there is none.
  public func close(at path: NodePath) throws {
    try currentScene.requireRestored("A node was to be closed")
    let entry = tree[path]
    try editor.requireRead()
    guard let entry else { throw RestorationError.noSuchNode(path) }
    editor.close(entry)
  }
}
