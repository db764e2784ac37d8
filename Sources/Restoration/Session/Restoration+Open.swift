extension Restoration {
  /// Makes a node and its screen, by the same factory as restore.
  ///
  /// If the path has a deferred node of this kind, the call makes that node, with `state` instead of its archived
  /// state. The node keeps its children, its place, its references and its draft. A node there that could not be
  /// restored, or that has another kind, is replaced. Its draft with edits is not: the new node's own context gets
  /// another draft, and the old one stays in `store.drafts`. Two live nodes never share a context, even in different
  /// scenes.
  ///
  /// - Parameters:
  ///   - id: The restoration ID of the node, unique among its siblings.
  ///   - parent: The parent, which must be live or deferred. `nil` makes a root.
  ///   - resumingDraft: Whether the own context takes up the draft that the last node at this path left. That draft may
  ///     have another name if that node had been moved there. A draft that a live node has is not taken, unless the new
  ///     node replaces that node in a ``handOver(_:)``.
  ///   - draft: The ID of a draft in `store.drafts` that the own context takes up. Its node must be gone.
  /// - Throws: ``RestorationError``: restore has not finished, the ID is invalid, the path is in use, the parent is
  ///   missing, or the kind is not defined. Also if a need is missing or not ready, or if the factory throws or returns
  ///   `nil`.
  @discardableResult
  public func open<State, Screen>(
    _ kind: NodeKind<State, Screen>, id: String, under parent: NodePath? = nil, state: State,
    resumingDraft: Bool = false, draft: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws -> Screen {
    try builder.requirePlace(under: parent)
    guard let definition = kinds[kind.name] as? OnePhaseKind<State, Screen> else {
      throw RestorationError.unknownKind(kind.name)
    }
    if let entry = try builder.archived(kind.name, id, parent) {
      return try screen(of: entry) { () throws(Unmet) in
        try builder.claim(entry, definition) { () throws(StateCodingError) in try StateEncoder.encode(state) }
      }
    }
    let entry = try editor.place(kind.name, id, parent, RegistrationSite(file, line))
    entry.wish = draft.map { .named($0) } ?? (resumingDraft ? .left : .new)
    return try screen(of: entry) { () throws(Unmet) in
      try builder.open(entry, definition) { () throws(Unmet) in try definition.opened(state, entry, by: builder) }
    }
  }

  /// Makes a node whose screen is a ``RestorableScreen``, by the same factory as restore.
  ///
  /// Without `encode`, the factory receives an empty decoder, and the screen decodes nothing. If you omit `encode` and
  /// the path has a deferred node of this kind, that node is made with its archived state.
  ///
  /// - Parameters:
  ///   - resumingDraft: As in ``open(_:id:under:state:resumingDraft:draft:file:line:)``.
  ///   - draft: As in ``open(_:id:under:state:resumingDraft:draft:file:line:)``.
  ///   - type: The type of screen that the factory makes.
  ///   - encode: Encodes a state. The factory, the needs that a state chooses, and the screen decode it like an
  ///     archived one.
  /// - Throws: As ``open(_:id:under:state:resumingDraft:draft:file:line:)``. Also if the screen has another type, and
  ///   then nothing is opened.
  @discardableResult
  public func open<Screen: RestorableScreen>(
    _ kind: String, id: String, under parent: NodePath? = nil, resumingDraft: Bool = false, draft: String? = nil,
    as type: Screen.Type = Screen.self, encoding encode: ((RestorationEncoder) -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) throws -> Screen {
    try builder.requirePlace(under: parent)
    guard let definition = kinds[kind] as? TwoPhaseKind else { throw RestorationError.unknownKind(kind) }
    if let entry = try builder.archived(kind, id, parent) {
      return try screen(of: entry) { () throws(Unmet) in
        try builder.claim(entry, definition) { () throws(StateCodingError) in
          guard let encode else { return nil }
          let encoder = RestorationEncoder(objects)
          encode(encoder)
          return try encoder.encoded(keeping: nil)
        }
      }
    }
    let entry = try editor.place(kind, id, parent, RegistrationSite(file, line))
    entry.wish = draft.map { .named($0) } ?? (resumingDraft ? .left : .new)
    return try screen(of: entry) { () throws(Unmet) in
      let screen: Screen = try builder.open(entry, definition) { () throws(Unmet) in
        guard let made = try definition.opened(entry, encode: encode, by: builder) else { return nil }
        let screen: Screen = try self.cast(made)
        return screen
      }
      // The screen may have failed to decode the state.
      if entry.status == .kept {
        let reason = entry.reasonNotLive
        editor.withdraw(entry)
        throw .failed(reason)
      }
      return screen
    }
  }

  private func screen<Screen>(
    of entry: NodeEntry, _ make: () throws(Unmet) -> AnyObject
  ) throws(RestorationError) -> Screen {
    do throws(Unmet) {
      return try cast(make())
    } catch {
      throw error.error(at: entry.path)
    }
  }

  private func cast<Screen>(_ made: AnyObject) throws(Unmet) -> Screen {
    guard let screen = made as? Screen else {
      throw .failed("its screen has the type \(type(of: made)) instead of \(Screen.self)")
    }
    return screen
  }

  /// Gives a screen that the program has made a place in the tree, so that it is restored after a relaunch.
  ///
  /// A screen has one place at a time. If the path has a deferred node of this kind, the screen takes up its archived
  /// state.
  ///
  /// - Returns: The path of the node.
  /// - Throws: As ``open(_:id:under:state:resumingDraft:draft:file:line:)``. ``RestorationError/alreadyAdopted(_:_:)``
  ///   if the screen has a node. ``RestorationError/notBuilt(_:reason:)`` if nodes of the kind have contexts of their
  ///   own, because only a factory receives such a context.
  @discardableResult
  public func adopt<Screen: RestorableScreen>(
    _ screen: Screen, kind: String, id: String, under parent: NodePath? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) throws -> NodePath {
    try builder.requirePlace(under: parent)
    guard let definition = kinds[kind] as? TwoPhaseKind else { throw RestorationError.unknownKind(kind) }
    if definition.needs.contains(where: \.isOwnContext) {
      throw RestorationError.notBuilt(
        try NodePath.of(id, under: parent),
        reason: "`adopt` cannot make the context that a screen of the kind '\(kind)' needs. Call `open` instead")
    }
    if let first = screens.entry(of: screen), !editor.isLeaving(first) {
      throw RestorationError.alreadyAdopted(first.path, first.site)
    }
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

  /// Returns the screen of a node.
  ///
  /// A deferred node is made, with its ancestors and the visible nodes below it. If that fails, the report gives the
  /// reason.
  ///
  /// - Returns: `nil` if there is no such node, if it has another kind, or if it could not be restored.
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if the
  ///   archive cannot be read.
  public func screen<State, Screen>(
    _ kind: NodeKind<State, Screen>, at path: NodePath
  ) throws -> Screen? {
    try currentScene.requireRestored()
    let found = builder.live(at: path)
    try editor.requireRead()
    guard let entry = found, entry.kind == kind.name else { return nil }
    return entry.screen as? Screen
  }

  /// Returns the screen of a node, if it is a ``RestorableScreen``.
  ///
  /// If the node is deferred, the call makes its screen, as ``screen(_:at:)`` does.
  ///
  /// - Returns: `nil` if there is no such node, if its screen has another type, or if it could not be restored.
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if the
  ///   archive cannot be read.
  public func screen<Screen: RestorableScreen>(
    at path: NodePath, as type: Screen.Type = Screen.self
  ) throws -> Screen? {
    try currentScene.requireRestored()
    let entry = builder.live(at: path)
    try editor.requireRead()
    return entry?.screen as? Screen
  }
}
