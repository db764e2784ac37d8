import RepriseEventStore

extension Restoration {
  /// Uncommitted edits of this scene that no live context has, the last changed first: of nodes that were not restored,
  /// or were closed. For a screen that offers to recover lost work.
  ///
  /// Those of the store with the archive, and of the stores of registered contexts. Drafts of other scenes are not
  /// among them: `Store.drafts` has all. Costs the size of all drafts.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished; ``RestorationError/store(_:)`` if the
  ///   store cannot be read.
  public func recoverableDrafts() throws -> [RecoverableDraft] {
    try currentScene.requireRestored("Drafts were asked for")
    let found: [DraftInfo]
    do throws(StoreError) {
      found = try drafts.list()
    } catch {
      throw RestorationError.store(error)
    }
    let nodes = reports.nodesByDraft()
    return found.filter { !$0.isInUse && ($0.unreadableReason != nil || !$0.objects.isEmpty) }
      .compactMap { draft -> RecoverableDraft? in
        if let entry = nodes[draft.id] {
          // What waits, or is not visible yet, comes back by itself.
          guard entry.isLeft else { return nil }
          return RecoverableDraft(
            draft: draft, path: entry.path, kind: entry.kind, state: try? StateValue(bytes: entry.state),
            outcome: entry.outcome)
        }
        guard drafts.isOfScene(draft.id) else { return nil }
        return RecoverableDraft(draft: draft, path: drafts.path(of: draft.id), kind: nil, state: nil, outcome: nil)
      }
      .sorted { ($0.draft.changedAt ?? 0, $1.draft.id) > ($1.draft.changedAt ?? 0, $0.draft.id) }
  }
}
