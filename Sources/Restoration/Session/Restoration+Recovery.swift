import RepriseEventStore

extension Restoration {
  /// Uncommitted edits of this scene that no live context has, the last changed first: of nodes that were not restored,
  /// or were closed. For a screen that offers to recover lost work.
  ///
  /// Those of the store with the archive, and of the stores that are registered, or of which a context is; where a
  /// factory is to make that context, it is asked. Drafts of other scenes are not among them: `Store.drafts` has all.
  /// Costs the size of all drafts.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/store(_:)`` if the
  ///   store cannot be read.
  public func recoverableDrafts() throws -> [RecoverableDraft] {
    try currentScene.requireRestored("Drafts were asked for")
    let found = try draftsWithEdits()
    let nodes = reports.nodesByDraft()
    return found.filter { !$0.isInUse }
      .compactMap { draft -> RecoverableDraft? in
        if let entry = nodes[draft.id] {
          // What waits, or is not visible yet, comes back by itself.
          guard entry.isLeft else { return nil }
          return RecoverableDraft(
            draft: draft, path: entry.path, kind: entry.kind, title: reports.title(of: entry),
            state: try? StateValue(bytes: entry.state), outcome: entry.outcome)
        }
        guard drafts.isOfScene(draft.id) else { return nil }
        return RecoverableDraft(
          draft: draft, path: drafts.path(of: draft.id), kind: nil, title: nil, state: nil, outcome: nil)
      }
      .sorted { ($0.draft.changedAt ?? 0, $1.draft.id) > ($1.draft.changedAt ?? 0, $0.draft.id) }
  }

  /// The nodes that were not restored and do not come back by themselves, without those below them: in the order of the
  /// tree, parents before children. For the same screen.
  ///
  /// Nodes that wait for something late, and those that are deferred, are not among them. Costs the nodes of the
  /// archive, and the size of all drafts.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/store(_:)`` if the
  ///   store cannot be read.
  public func recoverableNodes() throws -> [RecoverableNode] {
    try currentScene.requireRestored("Nodes were asked for")
    let edits = Dictionary(try draftsWithEdits().map { ($0.id, $0) }) { first, _ in first }
    let found = reports.lost(at: currentScene.now())
    try editor.requireRead()
    return found.map { entry, missed in
      let below = tree.subtree(of: entry)
      return RecoverableNode(
        path: entry.path, kind: entry.kind, title: reports.title(of: entry),
        state: entry.isOpaque ? nil : try? StateValue(bytes: entry.state),
        byteCount: below.reduce(0) { $0 + $1.state.count }, nodesBelow: below.count - 1,
        outcome: entry.outcome ?? .unresolved("it was not reached"),
        missedSince: missed.flatMap { $0.since > 0 ? $0.since : nil }, missedLaunches: missed?.launches ?? 1,
        drafts: below.compactMap { reports.draft(of: $0).flatMap { edits[$0] } })
    }
  }

  private func draftsWithEdits() throws(RestorationError) -> [DraftInfo] {
    // Nobody may have asked for them, as what needs them was not restored, or was closed.
    tree.readAll()
    objects.makeObjects(reports.contextsOfLost.union(drafts.allLeft.map(\.key)))
    do throws(StoreError) {
      return try drafts.list().filter { $0.unreadableReason != nil || !$0.objects.isEmpty }
    } catch {
      throw .store(error)
    }
  }
}
