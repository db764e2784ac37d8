extension Restoration {
  /// Lets new owners take over IDs before the former owners have left.
  ///
  /// Within `body`, you may register something under a key in use, open a node at a path in use, or move a node there.
  /// By the end of `body`, each former owner must be unregistered, closed, or moved elsewhere. For example, two nodes
  /// can swap places, or a container can replace a screen and take it in:
  ///
  /// ```swift
  /// try restoration.handOver {
  ///   let tabs = try restoration.open(Tabs.kind, id: "editor", state: TabsState())
  ///   try editor.node.move(id: "first", under: tabs.node.path)
  /// }
  /// ```
  ///
  /// A call within another handover becomes part of that one.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: ``RestorationError/unfinishedHandover(_:)`` if a former owner is still there. The former owners then
  ///   have their IDs again, opened nodes are removed, moved nodes are back in their places, and nothing is written.
  ///   Nodes that were closed stay closed. Also the error of `body`: if every former owner has left, the changes before
  ///   it stay.
  public func handOver<Result>(_ body: () throws -> Result) throws -> Result {
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
