import RepriseEventStore
import RepriseObjectGraph
import RepriseRestoration
import Synchronization

/// A store in memory: an archive, and drafts as lists of edits. It outlives the `Restoration`s of a test as files
/// outlive processes.
// Safe: only the main actor of a test uses it.
final class MemoryStorage: ArchiveStorage, @unchecked Sendable {
  var scenes: [String: [String: [UInt8]]] = [:]
  /// Every write to the scene `main`, as it came.
  var writes: [[ArchiveChange]] = []
  var drafts: [String: MemoryDraft] = [:]
  var openTurns = 0
  var failure: StoreError?

  var identity: ObjectIdentifier { ObjectIdentifier(self) }
  var weakly: @Sendable () -> (any DraftStorage)? { { [weak self] in self } }
  var isWritable: Bool { true }
  func tellFailures(to owner: any SceneOwner) {}

  var records: [String: [UInt8]] {
    get { scenes["main"] ?? [:] }
    set { scenes["main"] = newValue }
  }

  /// Without the archive's account of itself.
  var nodes: [String: [UInt8]] { records.filter { $0.key != "/" } }

  /// The keys that were put or removed, without the archive's account of itself.
  var writtenKeys: [String] {
    writes.flatMap { $0 }.map { change in
      switch change {
      case .put(let key, _): key
      case .remove(let key): "-" + key
      }
    }.filter { $0 != "/" }
  }

  func ready() {}
  func scenesReady() {}
  var isOpening: Bool { false }

  func contents(of scene: String) throws(StoreError) -> ArchiveContents {
    if let failure { throw failure }
    let records = scenes[scene] ?? [:]
    guard readsInParts, scene == "main", let info = records["/"] else {
      return ArchiveContents(records: SceneNodes(records))
    }
    let parts = MemoryParts(storage: self, records: records)
    let head = try parts.group("/")
    // What restoration asks of a store.
    return ArchiveInfo(of: SceneNodes(["/": info])).isInParts
      ? ArchiveContents(records: head.records, parts: parts) : ArchiveContents(records: SceneNodes(records))
  }

  /// Whether nodes are read when they are asked for.
  var readsInParts = false
  /// The keys and groups that were read so.
  var readParts: [String] = []

  func write(_ changes: [ArchiveChange], scene: String) {
    if scene == "main" { writes.append(changes) }
    for watcher in watchers { watcher() }
    watchers = []
    for change in changes {
      switch change {
      case .put(let key, let bytes): scenes[scene, default: [:]][key] = bytes
      case .remove(let key): scenes[scene]?[key] = nil
      }
    }
  }

  func openTurn(in isolation: any Actor) { openTurns += 1 }
  func closeTurn(in isolation: any Actor) { openTurns -= 1 }
  func endFrame(in isolation: (any Actor)?) -> Bool { true }
  func cutFrame() {}
  func flush(durable: Bool) async throws(StoreError) { if let failure { throw failure } }
  func flushNow(cutsTurns: Bool) -> Bool { true }
  private var watchers: [@Sendable () -> Void] = []
  func whenChanged(_ body: @escaping @Sendable () -> Void) {
    watchers.append(body)
  }
  var notes: [String: MemoryNote] = [:]
  func launchFile(of scene: String) -> any LaunchFile {
    notes[scene] = notes[scene] ?? MemoryNote()
    return notes[scene] ?? MemoryNote()
  }
  var previews: [String: MemoryNote] = [:]
  func previewFile(of scene: String) -> any LaunchFile {
    previews[scene] = previews[scene] ?? MemoryNote()
    return previews[scene] ?? MemoryNote()
  }
  /// Drafts that another process has.
  var takenElsewhere: Set<String> = []

  func hasUncommittedDraft(_ id: String) -> Bool { drafts[id]?.edits.isEmpty == false }
  /// Scenes that another process has.
  var scenesElsewhere: Set<String> = []
  func claim(_ scene: String, for owner: any SceneOwner) -> Bool { !scenesElsewhere.contains(scene) }
  func release(_ scene: String, for owner: any SceneOwner) { released.append(scene) }
  var released: [String] = []
  func listDrafts() throws(StoreError) -> [DraftInfo] { [] }
  func ask(for scene: String, in isolation: any Actor) -> Bool { false }
  func listen(for scene: String, _ answer: @escaping @Sendable () -> Void) {}
  var reasonNotToWrite: StoreError? { nil }
}

final class MemoryNote: LaunchFile {
  private let note = Mutex<[UInt8]?>(nil)
  private let writes = Mutex(0)
  /// How often it was written.
  var writeCount: Int { writes.withLock { $0 } }
  func read() -> [UInt8]? { note.withLock { $0 } }
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= SceneNote.longest else { return false }
    note.withLock { $0 = bytes }
    writes.withLock { $0 += 1 }
    return true
  }
  func remove() { note.withLock { $0 = nil } }
}

/// The records of a moment, a few at a time.
struct MemoryParts: ArchiveParts {
  let storage: MemoryStorage
  let records: [String: [UInt8]]

  func all() throws(StoreError) -> ArchiveContents { try found("all") { _ in true } }

  func group(_ name: String) throws(StoreError) -> ArchiveContents {
    try found(name) { key in key.lastIndex(of: "/").map { key[...$0] == name } ?? name.isEmpty }
  }

  func record(_ key: String) throws(StoreError) -> ArchiveContents { try found(key) { $0 == key } }

  private func found(_ what: String, _ isWanted: (String) -> Bool) throws(StoreError) -> ArchiveContents {
    if let failure = storage.failure { throw failure }
    storage.readParts.append(what)
    return ArchiveContents(records: SceneNodes(records.filter { isWanted($0.key) }))
  }
}

struct MemoryDraft: Equatable {
  var parent: String?
  var edits: [String] = []
}

/// A context as far as restoration sees one: its edits are in the storage's drafts at once.
final class MemoryContext: OwnContext {
  let storage: MemoryStorage
  let draft: String?
  private var children: [String: WeakContext] = [:]
  weak var owner: AnyObject?

  private struct WeakContext { weak var context: MemoryContext? }

  init(_ storage: MemoryStorage, draft: String? = nil) {
    self.storage = storage
    self.draft = draft
  }

  var edits: [String] { draft.flatMap { storage.drafts[$0]?.edits } ?? [] }

  func edit(_ text: String) {
    if let draft { storage.drafts[draft]?.edits.append(text) }
  }

  func discard() {
    if let draft { storage.drafts[draft]?.edits = [] }
  }

  var draftStorage: any DraftStorage { storage }
  var isInConflict: Bool { false }
  var hasChanges: Bool { !edits.isEmpty }

  func liveOwnContext(draft id: String) -> (any OwnContext)? {
    children[id]?.context
  }

  func makeOwnContext(draft id: String) throws(DraftError) -> any OwnContext {
    try child(id).get()
  }

  private func child(_ id: String) -> Result<MemoryContext, DraftError> {
    if let live = children[id]?.context { return .success(live) }
    if storage.takenElsewhere.contains(id) { return .failure(.inUse(id)) }
    if storage.drafts[id] == nil { storage.drafts[id] = MemoryDraft(parent: draft) }
    let child = MemoryContext(storage, draft: id)
    children[id] = WeakContext(context: child)
    return .success(child)
  }
}
