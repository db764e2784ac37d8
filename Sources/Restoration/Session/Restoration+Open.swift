extension Restoration {
  /// Makes a node and its screen, by the same factory as restore.
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
    try builder.requirePlace(under: parent, "A node was opened")
    guard let definition = kinds[kind.name] as? OnePhaseKind<State, Screen> else {
      throw RestorationError.unknownKind(kind.name)
    }
    if let entry = try builder.archived(kind.name, id, parent) {
      return try screen(of: entry) { () throws(Unmet) in try builder.claim(entry, definition) }
    }
    let entry = try editor.place(kind.name, id, parent, RegistrationSite(file, line))
    entry.wish = draft.map { .named($0) } ?? (resumingDraft ? .left : .new)
    return try screen(of: entry) { () throws(Unmet) in
      try builder.open(entry, definition) { () throws(Unmet) in try definition.opened(state, entry, by: builder) }
    }
  }

  /// Makes a node of a two-step kind and its screen, by the same factory as restore. Without `encoding` that receives
  /// an empty decoder, and the screen decodes nothing.
  ///
  /// - Parameters:
  ///   - resumingDraft, draft: Which draft its own context is to have, as in
  ///     ``open(_:id:under:state:resumingDraft:draft:file:line:)``.
  ///   - type: What the factory is known to make.
  ///   - encode: Writes a state: the factory, the needs that a state chooses, and the screen have it as they have the
  ///     archive's.
  /// - Throws: as ``open(_:id:under:state:resumingDraft:draft:file:line:)``; nothing is opened if the screen is of
  ///   another type.
  @discardableResult
  public func open<Screen: RestorableScreen>(
    _ kind: String, id: String, under parent: NodePath? = nil, resumingDraft: Bool = false, draft: String? = nil,
    as type: Screen.Type = Screen.self, encoding encode: ((RestorationEncoder) -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) throws -> Screen {
    try builder.requirePlace(under: parent, "A node was opened")
    guard let definition = kinds[kind] as? TwoStepKind else { throw RestorationError.unknownKind(kind) }
    if let entry = try builder.archived(kind, id, parent) {
      return try screen(of: entry) { () throws(Unmet) in try builder.claim(entry, definition) }
    }
    let entry = try editor.place(kind, id, parent, RegistrationSite(file, line))
    entry.wish = draft.map { .named($0) } ?? (resumingDraft ? .left : .new)
    return try screen(of: entry) { () throws(Unmet) in
      let screen: Screen = try builder.open(entry, definition) { () throws(Unmet) in
        guard let made = try definition.opened(entry, encode: encode, by: builder) else { return nil }
        guard let screen = made as? Screen else { throw .failed("its factory made a \(Swift.type(of: made))") }
        return screen
      }
      // It may not have taken up the state.
      if entry.status == .kept {
        editor.withdraw(entry)
        throw .failed(entry.outcome.map { "\($0)" } ?? "it could not be made")
      }
      return screen
    }
  }

  private func screen<Screen>(
    of entry: NodeEntry, _ make: () throws(Unmet) -> AnyObject
  ) throws(RestorationError) -> Screen {
    do throws(Unmet) {
      guard let screen = try make() as? Screen else { throw .failed("it has another screen") }
      return screen
    } catch {
      throw error.error(at: entry.path)
    }
  }

  /// Gives a two-step screen that the program made a place in the tree, so that it comes back after a relaunch. It has
  /// one place at a time.
  ///
  /// - Throws: as ``open(_:id:under:state:resumingDraft:draft:file:line:)``, and
  ///   ``RestorationError/alreadyAdopted(_:_:)``; ``RestorationError/notBuilt(_:reason:)`` for a kind whose nodes have
  ///   contexts of their own, which only its factory receives.
  @discardableResult
  public func adopt<Screen: RestorableScreen>(
    _ screen: Screen, kind: String, id: String, under parent: NodePath? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) throws -> NodePath {
    try builder.requirePlace(under: parent, "A screen was adopted")
    guard let definition = kinds[kind] as? TwoStepKind else { throw RestorationError.unknownKind(kind) }
    if definition.needs.contains(where: \.isOwnContext) {
      throw RestorationError.notBuilt(
        try NodePath.of(id, under: parent),
        reason: "a node of the kind '\(kind)' has a context of its own, which its factory receives: open it instead")
    }
    if let first = screens.entry(of: screen) { throw RestorationError.alreadyAdopted(first.path, first.site) }
    if let entry = try builder.archived(kind, id, parent) {
      do throws(Unmet) { try builder.take(entry, screen, definition) } catch { throw error.error(at: entry.path) }
      return entry.path
    }
    let entry = try editor.place(kind, id, parent, RegistrationSite(file, line))
    do throws(Unmet) {
      _ = try builder.open(entry, definition) { () throws(Unmet) in
        try definition.adopted(screen, entry, by: builder)
        return screen
      }
    } catch {
      throw error.error(at: entry.path)
    }
    return entry.path
  }

  /// The screen of a node; `nil` if there is no such node, it is of another kind, or it was not restored. A node that
  /// was deferred is made, with what is above it and what is visible below; if it cannot be, the report says why.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func screen<State, Screen>(
    _ kind: NodeKind<State, Screen>, at path: NodePath
  ) throws -> Screen? {
    try currentScene.requireRestored("A screen was asked for")
    let found = builder.live(at: path)
    try editor.requireRead()
    guard let entry = found, entry.kind == kind.name else { return nil }
    return entry.screen as? Screen
  }

  /// The two-step screen of a node; `nil` if there is no such node, it is of another type, or it was not restored. A
  /// node that was deferred is made, as by the other form.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished.
  public func screen<Screen: RestorableScreen>(
    at path: NodePath, as type: Screen.Type = Screen.self
  ) throws -> Screen? {
    try currentScene.requireRestored("A screen was asked for")
    let entry = builder.live(at: path)
    try editor.requireRead()
    return entry?.screen as? Screen
  }
}
