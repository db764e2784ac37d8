import RepriseEventStore
import RepriseSystem

/// The archives and drafts of a store.
final class StoreArchive: ArchiveStorage {
  private let store: Store
  private var wakeUp: (scene: String, pipe: WakeUpPipe)?
  /// The scenes whose entries in refused journals are marked as done.
  private var settled: Set<String> = []
  /// The scenes that callers named. There are few.
  private var topics: [JournalTopic] = []

  nonisolated init(_ store: Store) { self.store = store }

  nonisolated var identity: ObjectIdentifier { ObjectIdentifier(store) }
  nonisolated var weakly: @Sendable () -> (any DraftStorage)? {
    { [weak store] in store.map { StoreArchive($0) } }
  }
  nonisolated var isWritable: Bool { !store.isClosed && store.isReady }

  private func topic(_ scene: String) -> JournalTopic {
    if let known = topics.first(where: { $0.name == scene }) { return known }
    let topic = JournalTopic.scene(scene)
    topics.append(topic)
    return topic
  }

  func ready() async throws(StoreError) { try await store.waitUntilOpen() }
  func scenesReady() async throws(StoreError) { try await store.scenes.waitUntilReady() }
  var isOpening: Bool { store.isEmptyYet }

  func claim(_ scene: String, for owner: any SceneOwner) throws(StoreError) -> Bool {
    guard try store.scenes.claim(topic(scene)) else { return false }
    SceneOwners.of(store).add(owner)
    listenForFailures()
    return true
  }

  func tellFailures(to owner: any SceneOwner) {
    SceneOwners.of(store).addEditor(owner)
    listenForFailures()
  }

  /// The journal has one listener. It calls all owners of scenes in the store, and all editors of it.
  private func listenForFailures() {
    store.drafts.whenFailing { [weak store] error in
      Task { @MainActor in if let store { SceneOwners.known(of: store)?.writingFailed(error) } }
    }
  }

  func listDrafts() throws(StoreError) -> [DraftInfo] {
    do { return try store.drafts.all() } catch {
      throw error as? StoreError ?? .system(path: store.path, operation: "reading drafts", code: 0, message: "\(error)")
    }
  }

  func ask(for scene: String) -> Bool {
    if let owner = SceneOwners.known(of: store)?.owner(of: scene) {
      owner.letGo()
      return true
    }
    return WakeUpPipe.wake(store.scenes.journal.wakeUpPipe(of: topic(scene)))
  }

  func listen(for scene: String, _ answer: @escaping @Sendable () -> Void) {
    if wakeUp == nil {
      wakeUp = WakeUpPipe(store.scenes.journal.wakeUpPipe(of: topic(scene)), answer).map { (scene, $0) }
    }
  }

  func release(_ scene: String, for owner: any SceneOwner) {
    if let (listened, pipe) = wakeUp, listened == scene {
      pipe.end()
      wakeUp = nil
    }
    store.scenes.release(topic(scene))
    SceneOwners.known(of: store)?.remove(owner)
  }

  func contents(of scene: String) throws(StoreError) -> ArchiveContents {
    let (archive, rest) = try store.scenes.archive(of: topic(scene)) { ArchiveInfo(of: $0).isInParts }
    guard let rest else { return ArchiveContents(archive) }
    let parts = StoreParts(rest)
    // A key that is a hash does not show the parent of its node.
    if try !parts.group(ArchiveKey.hashed).records.isEmpty { return try parts.all() }
    return ArchiveContents(archive, parts)
  }

  func write(_ changes: [ArchiveChange], scene: String) {
    // Only at the first write, so that a launch that ends before it changes nothing. If this fails, the next write
    // tries again.
    if !settled.contains(scene), (try? store.journals.forgetRefused(topic(scene))) != nil { settled.insert(scene) }
    store.scenes.journal.append(
      changes.map { change in
        switch change {
        case .put(let key, let bytes): .nodePut(scene: scene, key: key, bytes: bytes)
        case .remove(let key): .nodeRemoved(scene: scene, key: key)
        }
      })
  }

  var reasonNotToWrite: StoreError? { store.isClosed ? .closed(path: store.path) : nil }
  func openTurn() { store.scenes.journal.openTurn() }
  func closeTurn() { store.scenes.journal.closeTurn() }
  func endFrame() { store.journals.endFrame() }

  func flush(durable: Bool) async throws(StoreError) { try await store.flushed(durable: durable) }
  nonisolated func flushNow(cutsTurns: Bool) -> Bool {
    (try? store.scenes.journal.write(cutsTurns: cutsTurns)) != nil && store.drafts.failure == nil
  }

  nonisolated func whenChanged(_ body: @escaping @Sendable () -> Void) { store.scenes.journal.whenNextAppended(body) }
  func launchFile(of scene: String) -> any LaunchFile { store.scenes.journal.note(of: topic(scene)) }
  func previewFile(of scene: String) -> any LaunchFile { store.scenes.journal.preview(of: topic(scene)) }
  func hasUncommittedDraft(_ id: String) -> Bool { store.drafts.hasEdits(id) }
}

extension SceneNote: LaunchFile {}

/// The nodes of an archive of a store.
private struct StoreParts: ArchiveParts {
  private let parts: SceneParts

  init(_ parts: SceneParts) { self.parts = parts }

  func all() throws(StoreError) -> ArchiveContents { ArchiveContents(try parts.all()) }
  func group(_ name: String) throws(StoreError) -> ArchiveContents { ArchiveContents(try parts.group(name)) }
  func record(_ key: String) throws(StoreError) -> ArchiveContents { ArchiveContents(try parts.node(key)) }
}

extension ArchiveContents {
  fileprivate init(_ archive: SceneArchive, _ parts: StoreParts? = nil) {
    self.init(records: archive.nodes, damage: archive.problems.map(\.description), parts: parts)
  }
}
