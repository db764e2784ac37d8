/// References between nodes of any kind.
extension Restoration {
  /// Returns a reference to the node at a path, to keep in the state of another node.
  ///
  /// The call makes no screens.
  ///
  /// - Returns: `nil` if there is no such node, or if its record cannot be read.
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if the
  ///   archive cannot be read.
  public func reference(to path: NodePath) throws -> NodeReference? {
    try currentScene.requireRestored()
    let entry = tree[path]
    try editor.requireRead()
    return entry.flatMap(screens.reference)
  }

  /// Returns a reference to the node of a screen, or `nil` if the screen has no node.
  public func reference(to screen: any RestorableScreen) -> NodeReference? {
    screens.entry(of: screen).flatMap(screens.reference)
  }

  /// Returns the present path of a reference's node, also if the node is deferred or was not restored.
  ///
  /// The call makes no screens. If the node is not known yet, the call reads all nodes of the archive.
  ///
  /// - Returns: `nil` if the node was closed.
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if the
  ///   archive cannot be read.
  public func path(of reference: NodeReference) throws -> NodePath? {
    try currentScene.requireRestored()
    let entry = screens.node(reference)
    try editor.requireRead()
    return entry?.path
  }

  /// Returns the screen of a reference's node, as ``screen(_:at:)`` does, or `nil` if the node was closed.
  ///
  /// - Throws: As ``screen(_:at:)``.
  public func screen<State, Screen>(_ kind: NodeKind<State, Screen>, of reference: NodeReference) throws -> Screen? {
    try path(of: reference).flatMap { try screen(kind, at: $0) }
  }

  /// Returns the screen of a reference's node, as ``screen(at:as:)`` does, or `nil` if the node was closed.
  ///
  /// - Throws: As ``screen(at:as:)``.
  public func screen<Screen: RestorableScreen>(
    of reference: NodeReference, as type: Screen.Type = Screen.self
  ) throws -> Screen? {
    try path(of: reference).flatMap { try screen(at: $0, as: type) }
  }
}

extension RestorationNode {
  /// A reference to this node that follows it when it is moved, to keep in the state of another node.
  ///
  /// It is `nil` if the node was closed, or belongs to a registered object. Refer to such an object by its key. The
  /// first use of a node's reference writes the node again at the end of the turn.
  public var reference: NodeReference? { editor.flatMap { editor in entry.flatMap(editor.reference) } }
}
