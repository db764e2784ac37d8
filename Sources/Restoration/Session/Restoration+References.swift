/// References between nodes of any kind.
extension Restoration {
  /// What leads to the node at a path from now on, for the state of another one; `nil` if there is no such node, or its
  /// record cannot be read. Makes none.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func reference(to path: NodePath) throws -> NodeReference? {
    try currentScene.requireRestored("A reference was asked for")
    let entry = tree[path]
    try editor.requireRead()
    return entry.flatMap(screens.reference)
  }

  /// What leads to the node of a two-step screen; `nil` if it has none.
  public func reference(to screen: any RestorableScreen) -> NodeReference? {
    screens.entry(of: screen).flatMap(screens.reference)
  }

  /// Where the node of a reference stands now, also if it was deferred or not restored; `nil` if it was closed. Makes
  /// none.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func path(of reference: NodeReference) throws -> NodePath? {
    try currentScene.requireRestored("A node was asked for")
    let entry = screens.node(reference)
    try editor.requireRead()
    return entry?.path
  }

  /// The screen of the node of a reference, as ``screen(_:at:)``; `nil` also if the node was closed.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func screen<State, Screen>(_ kind: NodeKind<State, Screen>, of reference: NodeReference) throws -> Screen? {
    try path(of: reference).flatMap { try screen(kind, at: $0) }
  }

  /// The two-step screen of the node of a reference, as ``screen(at:as:)``; `nil` also if the node was closed.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func screen<Screen: RestorableScreen>(
    of reference: NodeReference, as type: Screen.Type = Screen.self
  ) throws -> Screen? {
    try path(of: reference).flatMap { try screen(at: $0, as: type) }
  }
}

extension RestorationNode {
  /// What leads to this node, wherever it is moved, for the state of another one; `nil` if it was closed, or is that of
  /// a registered object, which its key leads to.
  ///
  /// The first time, the node is written anew at the end of the turn.
  public var reference: NodeReference? { editor.flatMap { editor in entry.flatMap(editor.reference) } }
}
