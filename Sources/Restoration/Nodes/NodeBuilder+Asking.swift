/// Makes nodes on request, after restore.
extension NodeBuilder {
  /// Makes a node of the archive, the unmade nodes above it, and the visible nodes below it.
  ///
  /// - Parameter isRetry: Whether to make nodes in quarantine, too.
  func ask(for entry: NodeEntry, isRetry: Bool = false) throws(RestorationError) {
    guard entry.status != .live else { return }
    let above = tree.ancestors(of: entry).prefix { $0.status != .live }
    // If a screen that is being restored refers to the node, both belong to the same restoration.
    if scene.phase == .restoring { return try make(entry, above) }
    if isRetry { for node in above + [entry] { scene.breaker.release(node.key) } }
    try scene.breaker.restoringMore(isWatched: isRetry) { () throws(RestorationError) in try make(entry, above) }
  }

  private func make(_ entry: NodeEntry, _ above: ArraySlice<NodeEntry>) throws(RestorationError) {
    for node in above.reversed() + [entry] where node.status != .live {
      do throws(Unmet) { try make(node) } catch {
        finishAsking()
        throw error.error(at: node.path)
      }
    }
    build([above.last ?? entry])
    finishAsking()
    guard entry.status == .live else { throw .notBuilt(entry.path, reason: entry.reasonNotLive) }
  }

  /// The node at a path, made if it was deferred. `nil` if there is none. If it cannot be made, the report has the
  /// reason.
  func live(at path: NodePath) -> NodeEntry? {
    guard let entry = tree[path] else { return nil }
    tree.ask(for: entry)
    return entry
  }

  func finishAsking() {
    finishMaking()
    guard scene.phase == .restored else { return }
    report.update()
    editor.changes.onChange()
  }
}
