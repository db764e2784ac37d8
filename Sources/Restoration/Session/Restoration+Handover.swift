extension Restoration {
  /// Lets new owners take IDs over before the former ones leave: within `body` something may be registered under a key
  /// in use, and a node opened at a path in use, or moved there. By its end the former owners must have been
  /// unregistered or closed, or moved elsewhere. So two nodes can change places, and a container that is opened in the
  /// place of a screen can take that screen, or those below it, in:
  ///
  /// ```swift
  /// try restoration.handover {
  ///   let tabs = try restoration.open(Tabs.kind, id: "editor", state: TabsState())
  ///   try editor.node.move(id: "first", under: tabs.node.path)
  /// }
  /// ```
  ///
  /// - Throws: what `body` throws, or ``RestorationError/unfinishedHandover(_:)`` if a former owner is still there.
  ///   Then the former owners have their IDs again, nodes that were opened are gone, those that were moved are back in
  ///   their places, and nothing is written. What was closed stays closed.
  public func handover<Result>(_ body: () throws -> Result) throws -> Result {
    guard objects.handover == nil else { return try body() }
    objects.handover = Handover()
    let result: Swift.Result<Result, any Error>
    do { result = .success(try body()) } catch { result = .failure(error) }
    var left = objects.handover.map(editor.end) ?? []
    let handover = objects.handover ?? Handover()
    objects.handover = nil
    left += objects.giveBack(handover)
    let value = try result.get()
    guard left.isEmpty else { throw RestorationError.unfinishedHandover(left.sorted()) }
    return value
  }
}
