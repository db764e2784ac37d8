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
            draft: draft, scene: scene, path: entry.path, kind: entry.kind, title: reports.title(of: entry),
            state: try? StateValue(bytes: entry.state), outcome: entry.outcome)
        }
        guard drafts.isOfScene(draft.id) else { return nil }
        let left = drafts.left(draft.id)
        return RecoverableDraft(
          draft: draft, scene: scene, path: drafts.path(of: draft.id), kind: left?.kind.nilIfEmpty,
          title: left?.title.nilIfEmpty, state: nil, outcome: nil)
      }
      .sorted(by: RecoverableDraft.isBefore)
  }

  /// Uncommitted edits in a store that no live context has, of all scenes, the last changed first: also of scenes that
  /// are not open, or were removed. For a program that looks for lost work without restoring anything.
  ///
  /// What has a ``RecoverableDraft/state`` comes back by itself when its scene is restored, if it can be. Of kinds
  /// nothing is known here: only closed nodes have titles. Costs the size of all drafts and archives.
  ///
  /// - Parameters:
  ///   - store: The one with the drafts.
  ///   - archives: The one with the archives of the scenes; `nil` if that is the same.
  /// - Throws: ``RestorationError/store(_:)`` if a store cannot be read.
  public static func recoverableDrafts(in store: Store, archives: Store? = nil) throws -> [RecoverableDraft] {
    let found = try withEdits { () throws(StoreError) in try StoreArchive(store).listDrafts() }.filter { !$0.isInUse }
    let known = try knownDrafts(in: archives ?? store)
    return found.map { draft in
      if let known = known[draft.id] { return known.of(draft) }
      let (scene, path) = NodeDrafts.place(of: draft.id)
      return KnownDraft(scene: SceneName.shown(scene), path: path).of(draft)
    }
    .sorted(by: RecoverableDraft.isBefore)
  }

  /// What archives say of drafts, by their IDs.
  private static func knownDrafts(in store: Store) throws(RestorationError) -> [String: KnownDraft] {
    do throws(StoreError) {
      var known: [String: KnownDraft] = [:]
      let names = try store.sceneNames().filter { $0 != SharedArchive.name }
      // What was set aside says less than what came after it.
      for name in names.filter({ RefusedName($0) != nil }) + names.filter({ RefusedName($0) == nil }) {
        let records = try store.archive(of: name).nodes
        let scene = SceneName.shown(RefusedName(name)?.scene ?? name)
        for left in ArchiveInfo(of: records).leftDrafts {
          known[left.draft] = KnownDraft(
            scene: scene, path: NodePath(stored: left.path), kind: left.kind.nilIfEmpty, title: left.title.nilIfEmpty)
        }
        for node in ArchivedScene(records).nodes {
          guard let draft = node.draft else { continue }
          known[draft] = KnownDraft(scene: scene, path: node.path, kind: node.kind, state: node.state)
        }
      }
      return known
    } catch {
      throw .store(error)
    }
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
    return try Self.withEdits { () throws(StoreError) in try drafts.list() }
  }

  private static func withEdits(
    _ list: () throws(StoreError) -> [DraftInfo]
  ) throws(RestorationError) -> [DraftInfo] {
    do throws(StoreError) {
      return try list().filter { $0.unreadableReason != nil || !$0.objects.isEmpty }
    } catch {
      throw .store(error)
    }
  }
}

/// What an archive, or its name, says of a draft.
private struct KnownDraft {
  let scene: String
  let path: NodePath?
  var kind: String?
  var title: String?
  var state: StateValue?

  func of(_ draft: DraftInfo) -> RecoverableDraft {
    RecoverableDraft(draft: draft, scene: scene, path: path, kind: kind, title: title, state: state, outcome: nil)
  }
}

extension RecoverableDraft {
  fileprivate static func isBefore(_ one: RecoverableDraft, _ other: RecoverableDraft) -> Bool {
    (one.draft.changedAt ?? 0, other.draft.id) > (other.draft.changedAt ?? 0, one.draft.id)
  }
}

extension String {
  fileprivate var nilIfEmpty: String? { isEmpty ? nil : self }
}
