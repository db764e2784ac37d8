import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The recovered archive of a scene.
package struct SceneArchive: Sendable {
  package let nodes: SceneNodes
  /// Problems of the journals and rows that held the archive.
  package let problems: [JournalProblem]
}

/// Reads nodes of a scene that the process has claimed, as they were when the archive was read. The process itself
/// knows the nodes that it has changed since.
package struct SceneParts: Sendable {
  private let store: Store
  private let image: SceneImage

  fileprivate init(_ store: Store, _ image: SceneImage) {
    self.store = store
    self.image = image
  }

  package func all() throws(StoreError) -> SceneArchive {
    try read { (view) throws(StorageError) in try image.all(view) }
  }

  /// The nodes whose keys have this text up to and including their last slash: the children of a screen. An empty text
  /// finds the nodes whose keys have no slash. O(children, and entries of journals about them).
  package func group(_ name: String) throws(StoreError) -> SceneArchive {
    try read { (view) throws(StorageError) in try image.group(name, view) }
  }

  /// The node with a key, or an archive without nodes. O(log n).
  package func node(_ key: String) throws(StoreError) -> SceneArchive {
    try read { (view) throws(StorageError) in try image.node(key, view) }
  }

  private func read(_ body: (View) throws(StorageError) -> FoundNodes) throws(StoreError) -> SceneArchive {
    try store.scenes.requireReady()
    let found = try StoreError.converting { () throws(StorageError) in
      try store.scenes.files.environment.read { (transaction) throws(StorageError) in try body(transaction.view) }
    }
    return SceneArchive(nodes: found.nodes, problems: found.problems)
  }
}

extension SceneArchives {
  /// Claims a scene for a restoration. False if it is claimed, here or in another process.
  package func claim(_ scene: JournalTopic) throws(StoreError) -> Bool {
    if store.isClosed { throw .closed(path: store.path) }
    return try claimed(scene)
  }

  package func release(_ scene: JournalTopic) { journal.release(scene) }

  /// Whether this process or another has claimed a scene.
  package func isClaimed(_ scene: JournalTopic) -> Bool {
    let claimed = journal.isClaimed(scene)
    return claimed.here || claimed.elsewhere
  }

  /// The process that has claimed a scene. `nil` if none has, or the system does not tell.
  package func process(of scene: JournalTopic) -> Int32? { journal.isClaimed(scene).process }

  /// The names of all scenes, also of those that other living processes write, ordered. Some may have no nodes.
  /// O(scenes, and bytes of journals not yet checkpointed).
  package func names() throws(StoreError) -> [String] {
    let recovery = try self.recovery(about: nil)
    return try StoreError.converting { () throws(StorageError) in
      try files.environment.read { (transaction) throws(StorageError) in
        try recovery.scenes(transaction.view).sorted()
      }
    }
  }

  private func recovery(about topic: JournalTopic?) throws(StoreError) -> JournalRecovery {
    try requireReady()
    do throws(JournalError) {
      let others = try journal.othersJournals(about: topic)
      return try journal.recovery().adding(others)
    } catch {
      throw StoreError(error, path: store.path)
    }
  }

  /// Removes the archive of a scene, if there is one. False if the scene is claimed. No other restoration claims the
  /// scene before `body` returns, which removes data that belongs to it.
  package func remove(_ scene: JournalTopic, whileClaimed body: () -> Void) throws(StoreError) -> Bool {
    guard try claim(scene) else { return false }
    defer { release(scene) }
    // Reading the archive takes over the entries that another process wrote about it: the entry that clears it must
    // follow them.
    if try !archive(of: scene).nodes.isEmpty { journal.append([.sceneCleared(scene: scene.name)]) }
    try store.journals.forgetRefused(scene)
    journal.note(of: scene).remove()
    journal.preview(of: scene).remove()
    body()
    return true
  }

  /// The nodes of a scene, checkpointed or not, including everything that this process has appended, and the entries in
  /// the journals of other living processes. O(nodes, and bytes of journals not yet checkpointed).
  package func archive(of scene: JournalTopic) throws(StoreError) -> SceneArchive {
    try archive(of: scene) { _ in false }.archive
  }

  /// Like ``archive(of:)``. But first reads only the nodes whose keys have a single slash, at the beginning. If
  /// `isPartial` accepts them, returns only these, and the caller reads the rest in parts. O(nodes read, and bytes of
  /// journals not yet checkpointed).
  package func archive(
    of scene: JournalTopic, inPartsIf isPartial: (SceneNodes) -> Bool
  ) throws(StoreError) -> (archive: SceneArchive, rest: SceneParts?) {
    let claimed = journal.isClaimed(scene)
    let recovery: JournalRecovery
    var lost: [JournalProblem] = []
    if claimed.here {
      try store.journals.takeOver(scene)
      lost = try store.journals.screensLeftOut(of: scene)
      do throws(JournalError) { recovery = try journal.recovery() } catch { throw StoreError(error, path: store.path) }
    } else {
      // Reads the journals of other processes even if the scene is unclaimed, because another process may have taken
      // over the journal of its last owner.
      recovery = try self.recovery(about: scene)
    }
    let (found, image) = try StoreError.converting { () throws(StorageError) in
      try files.environment.read { (transaction) throws(StorageError) -> (FoundNodes, SceneImage?) in
        let view = transaction.view
        let image = try recovery.scene(scene, view)
        // A scene that another process has claimed may change between two parts.
        if claimed.here, try image.hasParts(view) {
          let head = try image.group("/", view)
          if isPartial(head.nodes) { return (head, image) }
        }
        return (try image.all(view), nil)
      }
    }
    let archive = SceneArchive(nodes: found.nodes, problems: recovery.problems + lost + found.problems)
    return (archive, image.map { SceneParts(store, $0) })
  }
}
