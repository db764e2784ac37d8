extension Restoration {
  /// Lets new owners take over IDs before the former owners have left.
  ///
  /// Within `body`, you may register something under a key in use, open a node at a path in use, or move a node there.
  /// By the end of `body`, each former owner must be unregistered, closed, or moved elsewhere. For example, two nodes
  /// can swap places. Or a container can take the path of a screen, and become the parent of this screen:
  ///
  /// ```swift
  /// try restoration.handOver {
  ///   let tabs = try restoration.open(Tabs.kind, id: "editor", state: TabsState())
  ///   try editor.node.move(id: "first", under: tabs.node.path)
  /// }
  /// ```
  ///
  /// Nodes that `body` closes are closed when it has finished. A call within another handover becomes part of that one.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``RestorationError/unfinishedHandover(_:)`` if a former owner is still there. In
  ///   both cases, the former owners have their IDs again, opened nodes are removed, and moved nodes are back in their
  ///   places. No node is closed, and nothing is written. States that `body` set, and the visible children that it
  ///   chose, stay.
  public func handOver<Result>(_ body: () throws -> Result) throws -> Result {
    guard objects.handover == nil else { return try body() }
    objects.handover = Handover()
    let result: Swift.Result<Result, any Error>
    do { result = .success(try body()) } catch { result = .failure(error) }
    let handover = objects.handover ?? Handover()
    let left = editor.inTheWay(handover) + handover.keysInTheWay
    guard case .success(let value) = result, left.isEmpty else {
      editor.undo(handover)
      objects.handover = nil
      objects.undo(handover)
      _ = try result.get()
      throw RestorationError.unfinishedHandover(left.sorted())
    }
    objects.handover = nil
    editor.finish(handover)
    objects.finish(handover)
    return value
  }
}
