/// Opening nodes that need late objects.
extension Restoration {
  /// Waits for the late objects that the kind needs, then opens the node.
  ///
  /// It also waits for late objects that the factories of needed objects need. Waiting for an object ends when it has
  /// arrived, failed, or become overdue.
  ///
  /// - Throws: As ``open(_:id:under:state:resumingDraft:draft:file:line:)``.
  @discardableResult
  nonisolated(nonsending) public func openWhenReady<State, Screen>(
    _ kind: NodeKind<State, Screen>, id: String, under parent: NodePath? = nil, state: State,
    resumingDraft: Bool = false, draft: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws -> Screen {
    try currentScene.requireRestored()
    let node = RestorationNode(state, unknown: nil, path: try NodePath.of(id, under: parent))
    await objects.waitUntilSettled(kinds[kind.name]?.needs.neededKeys(of: node, at: node.path) ?? [])
    return try open(
      kind, id: id, under: parent, state: state, resumingDraft: resumingDraft, draft: draft, file: file, line: line)
  }

  /// Waits for the late objects that the kind needs or the state refers to, then opens the node.
  ///
  /// It also waits for late objects that the factories of these objects need. Waiting for an object ends when it has
  /// arrived, failed, or become overdue.
  ///
  /// - Parameter encode: Encodes a state, as for ``open(_:id:under:resumingDraft:draft:as:encoding:file:line:)``.
  ///   Called twice, first to find the references in the state.
  /// - Throws: As ``open(_:id:under:resumingDraft:draft:as:encoding:file:line:)``.
  @discardableResult
  nonisolated(nonsending) public func openWhenReady<Screen: RestorableScreen>(
    _ kind: String, id: String, under parent: NodePath? = nil, resumingDraft: Bool = false, draft: String? = nil,
    as type: Screen.Type = Screen.self, encoding encode: ((RestorationEncoder) -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) async throws -> Screen {
    try currentScene.requireRestored()
    let path = try NodePath.of(id, under: parent)
    var (decoder, references) = (RestorationDecoder(path: path, objects), [String]())
    if let encode {
      let encoder = RestorationEncoder(objects)
      encode(encoder)
      references = encoder.references
      // A state that cannot be encoded is an error when the node is opened.
      if let state = try? encoder.encoded(keeping: nil) {
        decoder = (try? RestorationDecoder(state[...], path: path, objects)) ?? decoder
      }
    }
    await objects.waitUntilSettled((kinds[kind]?.needs.neededKeys(of: decoder, at: path) ?? []) + references)
    return try open(
      kind, id: id, under: parent, resumingDraft: resumingDraft, draft: draft, as: type, encoding: encode, file: file,
      line: line)
  }
}
