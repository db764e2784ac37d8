import RepriseEventStore

extension Restoration {
  /// Returns this scene's uncommitted edits that no live context has, the most recently changed first.
  ///
  /// Their nodes were not restored, or were closed. Use it for a screen that offers to recover lost work.
  ///
  /// The result covers the store with the archive, all registered stores, and the stores of registered contexts. If a
  /// factory makes a registered context that the call needs, the call runs the factory. `Store.drafts` lists the drafts
  /// of other scenes. Takes time in proportion to the size of all drafts, and reads all nodes of the archive.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if a
  ///   store cannot be read.
  public func recoverableDrafts() throws -> [RecoverableDraft] {
    try currentScene.requireRestored()
    let found = try draftsWithEdits()
    let nodes = reports.nodesByDraft()
    return found.filter { !$0.isInUse }
      .compactMap { draft -> RecoverableDraft? in
        if let entry = nodes[draft.id] {
          // A node that waits or is hidden comes back by itself.
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

  /// Returns a store's uncommitted edits that no live context has, of all scenes, the most recently changed first.
  ///
  /// Use it to look for lost work without restoring anything. The result includes scenes that are not open or were
  /// removed.
  ///
  /// A draft with a ``RecoverableDraft/state`` comes back when its scene is restored, if its node can be. Because no
  /// kinds are defined here, only closed nodes have titles. Takes time in proportion to the size of all drafts and
  /// archives.
  ///
  /// - Parameters:
  ///   - store: The store with the drafts.
  ///   - archives: The store with the archives of the scenes. `nil` if it is the same store.
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

  /// The archives' facts about drafts, by ID.
  private static func knownDrafts(in store: Store) throws(RestorationError) -> [String: KnownDraft] {
    do throws(StoreError) {
      var known: [String: KnownDraft] = [:]
      let names = try store.scenes.names().filter { $0 != SharedArchive.name }
      // Archives that were set aside come first, so that newer archives overwrite their facts.
      for name in names.filter({ RefusedName($0) != nil }) + names.filter({ RefusedName($0) == nil }) {
        let records = try store.scenes.archive(of: .scene(name)).nodes
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

  /// Returns the nodes that were not restored and do not come back by themselves, parents before children.
  ///
  /// Only the topmost of such nodes are listed, in the order of the tree. Nodes that wait for a late object, and
  /// deferred nodes, are not among them. Takes time in proportion to the nodes of the archive and to the size of all
  /// drafts.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished. ``RestorationError/store(_:)`` if a
  ///   store cannot be read.
  public func recoverableNodes() throws -> [RecoverableNode] {
    try currentScene.requireRestored()
    let edits = Dictionary(try draftsWithEdits().map { ($0.id, $0) }) { first, _ in first }
    let found = reports.lost(at: currentScene.now())
    try editor.requireRead()
    return found.map { entry, missed in
      let below = tree.subtree(of: entry)
      return RecoverableNode(
        path: entry.path, kind: entry.kind, title: reports.title(of: entry),
        state: entry.isOpaque ? nil : try? StateValue(bytes: entry.state),
        byteCount: below.reduce(0) { $0 + $1.state.count }, nodesBelow: below.count - 1,
        outcome: entry.outcome ?? .unresolved("`restore` did not reach it"),
        missedSince: missed.flatMap { $0.since > 0 ? $0.since : nil }, missedLaunches: missed?.launches ?? 1,
        drafts: below.compactMap { reports.draft(of: $0).flatMap { edits[$0] } })
    }
  }

  private func draftsWithEdits() throws(RestorationError) -> [DraftInfo] {
    // Drafts of unrestored or closed nodes are in parts that nothing has read yet.
    tree.readAll()
    objects.makeObjects(reports.contextsOfLost.union(drafts.allLeft.map(\.key)))
    return try Self.withEdits { () throws(StoreError) in try drafts.list() }
  }

  private static func withEdits(
    _ list: () throws(StoreError) -> [DraftInfo]
  ) throws(RestorationError) -> [DraftInfo] {
    do throws(StoreError) {
      return try list().filter { $0.unreadableReason != nil || !$0.objects.isEmpty || $0.hasUnconverted }
    } catch {
      throw .store(error)
    }
  }
}

/// The facts about a draft from an archive or from its name.
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
