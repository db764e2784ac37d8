/// The order, the visibility and the removal of nodes.
extension Restoration {
  /// Returns the paths of a node's children, or of the roots for `nil`, whether they are live or deferred.
  ///
  /// A new child, or a child moved to this parent, is the last one. ``RestorationNode/move(to:)`` changes the order,
  /// which survives a relaunch. The call makes no screens. Returns an empty array if there is no such node, and leaves
  /// out nodes that could not be restored.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if the
  ///   archive cannot be read.
  public func children(of path: NodePath?) throws -> [NodePath] {
    try currentScene.requireRestored()
    let above = path.flatMap { tree[$0] }
    let children = path != nil && above == nil ? [] : tree.children(of: above)
    try editor.requireRead()
    return children.filter(\.isListed).map(\.path)
  }

  /// Closes the node of a screen and all nodes below it, as ``RestorationNode/close()`` does.
  ///
  /// Does nothing if the screen has no node.
  public func close(_ screen: any RestorableScreen) {
    if let entry = screens.entry(of: screen) { editor.close(entry) }
  }

  /// Moves the node of a screen and all nodes below it, as ``RestorationNode/move(id:under:)`` does.
  ///
  /// - Throws: As ``RestorationNode/move(id:under:)``, and nothing is moved. ``RestorationError/notAdopted`` if the
  ///   screen has no node.
  public func move(
    _ screen: any RestorableScreen, id: String? = nil, under parent: NodePath?
  ) throws {
    guard let entry = screens.entry(of: screen) else { throw RestorationError.notAdopted }
    try editor.move(entry, id: id ?? entry.path.id, under: parent)
  }

  /// Tries again to make a node that was not restored, because its factory failed or because it is in quarantine.
  ///
  /// The call also makes its ancestors if they were not restored, and the visible nodes below it. It does nothing if
  /// the node is live. If one of these nodes ends the process, the next launch leaves that node out.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/noSuchNode(_:)`` if
  ///   there is no node at the path. ``RestorationError/store(_:)`` if the archive cannot be read. Otherwise, the
  ///   reason why the node, or an ancestor, could not be made. The archive keeps their states.
  public func retry(at path: NodePath) throws {
    try currentScene.requireRestored()
    let entry = tree[path]
    try editor.requireRead()
    guard let entry else { throw RestorationError.noSuchNode(path) }
    try builder.ask(for: entry, isRetry: true)
  }

  /// Returns the ID of a node's frontmost child, or of the frontmost root for `nil`.
  ///
  /// See ``RestorationNode/selection``.
  ///
  /// Returns `nil` if all children are visible, or if there is no node at the path.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if the
  ///   archive cannot be read.
  public func selection(at path: NodePath?) throws -> String? { try visibleChildren(of: path).first }

  /// Makes one child of a node the only visible one, or one root of the scene for a `nil` path.
  ///
  /// A `nil` ID makes all of them visible. See ``RestorationNode/selection``.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/noSuchNode(_:)`` if
  ///   the path has no live or deferred node. ``RestorationError/store(_:)`` if the archive cannot be read.
  public func select(_ id: String?, at path: NodePath?) throws {
    try setVisibleChildren(id.map { [$0] } ?? [], of: path)
  }

  /// Returns the IDs of a node's visible children, or of the visible roots for `nil`, the frontmost first.
  ///
  /// Returns an empty array if all are visible, or if there is no such node. See ``RestorationNode/visibleChildren``.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if the
  ///   archive cannot be read.
  public func visibleChildren(of path: NodePath?) throws -> [String] {
    try currentScene.requireRestored()
    let entry = if let path { tree[path] } else { tree.top }
    try editor.requireRead()
    return entry.map { Selection.ids($0.selection) } ?? []
  }

  /// Sets the visible children of a node, or the visible roots of the scene for a `nil` path, the frontmost first.
  ///
  /// An empty array makes all of them visible. See ``RestorationNode/visibleChildren``.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/noSuchNode(_:)`` if
  ///   the path has no live or deferred node. ``RestorationError/store(_:)`` if the archive cannot be read.
  public func setVisibleChildren(_ ids: [String], of path: NodePath?) throws {
    try currentScene.requireRestored()
    let entry = if let path { try listed(path) } else { tree.top }
    editor.select(ids, in: entry)
  }

  /// Moves the node at a path and all nodes below it, as ``RestorationNode/move(id:under:)`` does.
  ///
  /// The node may be live or deferred. Deferred nodes above its new place are made.
  ///
  /// - Throws: As ``RestorationNode/move(id:under:)``. ``RestorationError/notRestored(_:)`` before restore has
  ///   finished.
  public func move(at path: NodePath, id: String? = nil, under parent: NodePath?) throws {
    try editor.move(listed(path), id: id ?? path.id, under: parent)
  }

  /// Moves the node at a path among its siblings, as ``RestorationNode/move(to:)`` does.
  ///
  /// The node may be live or deferred.
  ///
  /// - Throws: As ``RestorationNode/move(to:)``. ``RestorationError/notRestored(_:)`` before restore has finished.
  ///   ``RestorationError/store(_:)`` if the archive cannot be read.
  public func move(at path: NodePath, to index: Int) throws {
    try editor.move(listed(path), to: index)
  }

  private func listed(_ path: NodePath, _ call: String = #function) throws(RestorationError) -> NodeEntry {
    try currentScene.requireRestored(call)
    let entry = tree[path]
    try editor.requireRead()
    guard let entry, entry.isListed else { throw .noSuchNode(path) }
    return entry
  }

  /// Closes the node at a path and all nodes below it: removes them from the tree and the archive.
  ///
  /// The node may be live, deferred or not restored. Its drafts stay in `store.drafts`.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/noSuchNode(_:)`` if
  ///   there is none at the path. ``RestorationError/store(_:)`` if the archive cannot be read.
  public func close(at path: NodePath) throws {
    try currentScene.requireRestored()
    let entry = tree[path]
    try editor.requireRead()
    guard let entry else { throw RestorationError.noSuchNode(path) }
    editor.close(entry)
  }
}
