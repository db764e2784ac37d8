/// Making nodes that somebody asks for, after restore.
extension NodeBuilder {
  /// Makes a node of the archive, with those above it that are not live, and what is below them.
  func ask(for entry: NodeEntry) throws(RestorationError) {
    guard entry.status != .live else { return }
    let above = tree.ancestors(of: entry).prefix { $0.status != .live }
    for node in above + [entry] { scene.breaker.release(node.key) }
    try scene.breaker.restoringMore(isWatched: true) { () throws(RestorationError) in try make(entry, above) }
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
    guard entry.status == .live else {
      throw .notBuilt(entry.path, reason: entry.outcome.map { "\($0)" } ?? "it was closed meanwhile")
    }
  }

  private func finishAsking() {
    finishMaking()
    report.update()
    editor.changes.onChange()
  }
}
