import RepriseEventStore
import RepriseSystem

/// The archives and drafts of a store.
final class StoreArchive: ArchiveStorage {
  private let store: Store
  private let memory = Guarded(Memory())

  private struct Memory: Sendable {
    var wakeUp: (scene: String, pipe: WakeUpPipe)?
    /// The scenes whose entries in refused journals are marked as done.
    var settled: Set<String> = []
    /// The scenes that callers named. There are few.
    var topics: [JournalTopic] = []
  }

  init(_ store: Store) { self.store = store }

  var identity: ObjectIdentifier { ObjectIdentifier(store) }
  var weakly: @Sendable () -> (any DraftStorage)? {
    { [weak store] in store.map { StoreArchive($0) } }
  }
  var isWritable: Bool { !store.isClosed && store.isReady }

  private func topic(_ scene: String) -> JournalTopic {
    memory.withLock { memory in
      if let known = memory.topics.first(where: { $0.name == scene }) { return known }
      let topic = JournalTopic.scene(scene)
      memory.topics.append(topic)
      return topic
    }
  }

  nonisolated(nonsending) func ready() async throws(StoreError) { try await store.waitUntilOpen() }
  nonisolated(nonsending) func scenesReady() async throws(StoreError) { try await store.scenes.waitUntilReady() }
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
      if let store { SceneOwners.known(of: store)?.writingFailed(error) }
    }
  }

  func listDrafts() throws(StoreError) -> [DraftInfo] {
    do { return try store.drafts.all() } catch {
      throw error as? StoreError ?? .system(path: store.path, operation: "reading drafts", code: 0, message: "\(error)")
    }
  }

  func ask(for scene: String, in isolation: any Actor) -> Bool {
    if SceneOwners.known(of: store)?.ask(for: scene, in: isolation) == true { return true }
    return WakeUpPipe.wake(store.scenes.journal.wakeUpPipe(of: topic(scene)))
  }

  func listen(for scene: String, _ answer: @escaping @Sendable () -> Void) {
    let path = store.scenes.journal.wakeUpPipe(of: topic(scene))
    memory.withLock { memory in
      if memory.wakeUp == nil { memory.wakeUp = WakeUpPipe(path, answer).map { (scene, $0) } }
    }
  }

  func release(_ scene: String, for owner: any SceneOwner) {
    memory.withLock { memory in
      if let (listened, pipe) = memory.wakeUp, listened == scene {
        pipe.end()
        memory.wakeUp = nil
      }
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
    if !memory.withLock({ $0.settled.contains(scene) }), (try? store.journals.forgetRefused(topic(scene))) != nil {
      memory.withLock { _ = $0.settled.insert(scene) }
    }
    store.scenes.journal.append(
      changes.map { change in
        switch change {
        case .put(let key, let bytes): .nodePut(scene: scene, key: key, bytes: bytes)
        case .remove(let key): .nodeRemoved(scene: scene, key: key)
        }
      })
  }

  var reasonNotToWrite: StoreError? { store.isClosed ? .closed(path: store.path) : nil }
  func openTurn(in isolation: any Actor) { store.scenes.journal.openTurn(in: isolation) }
  func closeTurn(in isolation: any Actor) { store.scenes.journal.closeTurn(in: isolation) }
  @discardableResult
  func endFrame(in isolation: (any Actor)?) -> Bool { store.journals.endFrame(in: isolation) }
  func cutFrame() { store.scenes.journal.endFrame() }

  nonisolated(nonsending) func flush(durable: Bool) async throws(StoreError) {
    try await store.flushed(durable: durable)
  }
  func flushNow(cutsTurns: Bool) -> Bool {
    (try? store.scenes.journal.write(cutsTurns: cutsTurns)) != nil && store.drafts.failure == nil
  }

  func whenChanged(_ body: @escaping @Sendable () -> Void) { store.scenes.journal.whenNextAppended(body) }
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
