import RepriseLMDB
import RepriseSystem
import RepriseObjectModel
import Synchronization

/// A directory that holds an append-only log of changes, the current objects and indexes derived from it, and drafts
/// and restoration archives.
///
/// A store is open once per process: opening the same directory again returns the same instance. It is `Sendable`;
/// contexts, which are not, are made from it wherever they are needed. Any number of processes may have the store open:
/// readers and writers never wait for each other, and writers wait for each other.
public final class Store: Sendable {
  /// The store's directory.
  public let path: String
  package let durability: Durability
  let keyframes: KeyframeSpacing
  let wallClock: @Sendable () -> Int64
  let conversions: ConversionHistory
  let writer = LogWriter()
  let indexing = BackgroundIndexing()
  let others = OtherProcesses()
  let projections = InstalledProjections()
  let blobClaims: BlobClaims
  let cleaning = BackgroundSteps()
  let pinned: PinnedPositions
  /// All maps ever in use. None is released, so that readers load the last one without a lock.
  private let maps = Guarded<[SchemaMap]>([])
  private let lastMap = Atomic<Unmanaged<SchemaMap>?>(nil)
  /// `nil` until the store is open.
  private let opened = Atomic<Unmanaged<StoreFiles>?>(nil)
  let beginning = Guarded<Opening?>(nil)
  /// What scenes have of the directory until the store is open.
  let lent = Guarded<StoreFiles?>(nil)
  private let isMarkedClosed = Atomic<Bool>(false)
  /// The state after this process's last commit. It is still current if the next LMDB transaction ID follows it
  /// directly, because then no other process has written in between.
  let lastCommit = Guarded<LastCommit?>(nil)
  private let life = Guarded(Life())
  /// Holds the main actor's context, so that every caller gets the same one.
  package let mainContextSlot = MainContextSlot()

  // Not a tuple, whose type takes 30 us to instantiate at each start.
  struct LastCommit: Sendable {
    var transactionID: Int
    var head: LogHead
  }

  private struct HeadObserver {
    let token: Int
    let body: @Sendable () -> Void
  }

  private struct Life {
    var nextObserver = 0
    var observers: [HeadObserver] = []
    var sortedRun: SortedRun?
    /// The position of which the hash was last asked for.
    var base: Position = 0
    var baseHash: UInt64 = 0
  }

  /// One that is not open yet; ``begin(_:_:)`` must follow.
  init(path: String, _ options: StoreOptions) {
    self.path = path
    durability = options.durability
    keyframes = options.keyframes
    wallClock = options.wallClock
    conversions = ConversionHistory(options.migration)
    blobClaims = BlobClaims(path: path + "/data.mdb")
    pinned = PinnedPositions(path: path + "/data.mdb")
  }

  deinit { opened.load(ordering: .acquiring)?.release() }

  // MARK: Files

  /// Whether the store is open, or was: false only for one that `Store.opening` gave, until it is. ``ready()`` waits.
  public var isReady: Bool { opened.load(ordering: .acquiring) != nil }

  // Safe: the store retains them until its end.
  var files: StoreFiles { opened.load(ordering: .acquiring)?.takeUnretainedValue() ?? .none }

  var environment: Environment { files.environment }
  package var tables: StoreTables { files.tables }
  var objects: ObjectTable { files.objects }
  var log: LogTable { files.log }
  /// The log's ID in URIs, drafts and frames.
  package var logID: UniqueID { files.logID }
  package var window: VersionWindow { files.window }
  package var journal: Journal { files.journal }

  /// The store is open from now on.
  func begin(_ files: StoreFiles, _ map: SchemaMap) {
    maps.withLock { use(map, &$0) }
    opened.store(Unmanaged.passRetained(files), ordering: .releasing)
    endLending()
  }

  // MARK: Schema

  /// The models of this process, mapped to the store's numbers.
  // Safe: `maps` holds it as long as the store lives.
  package var map: SchemaMap { lastMap.load(ordering: .acquiring)?.takeUnretainedValue() ?? .none }

  /// Uses a map until the store is open.
  func useFirst(_ map: SchemaMap) { maps.withLock { if $0.isEmpty { use(map, &$0) } } }

  private func use(_ map: SchemaMap, _ maps: inout [SchemaMap]) {
    maps.append(map)
    lastMap.store(Unmanaged.passUnretained(map), ordering: .releasing)
  }

  /// Ignored unless newer than the current map: two readers may learn at once, in different read transactions.
  func learn(_ map: SchemaMap) {
    maps.withLock { maps in
      guard map.revision > self.map.revision else { return }
      let map = map.refusal == nil ? map : SchemaMap(self.map, refusedBy: map)
      use(map, &maps)
      journal.use(map)
    }
  }

  /// The position of the last transaction, as this process last saw it.
  public var head: Position { window.head }

  package var isClosed: Bool { isMarkedClosed.load(ordering: .relaxed) }

  // MARK: Head observers

  /// Calls `body`, on any thread, after the head has moved.
  package func observeHead(_ body: @escaping @Sendable () -> Void) -> Int {
    life.withLock { life in
      life.nextObserver += 1
      life.observers.append(HeadObserver(token: life.nextObserver, body: body))
      return life.nextObserver
    }
  }

  package func removeHeadObserver(_ token: Int) { life.withLock { $0.observers.removeAll { $0.token == token } } }

  func headMoved() {
    for observer in life.withLock({ $0.observers.map(\.body) }) { observer() }
  }

  // MARK: Runs of rows

  /// The run of an index that was sorted last, if it is this one.
  func sortedRun(of index: UInt32, _ columns: [UInt8], _ transactionID: Int) -> [UniqueID]? {
    life.withLock { life in
      guard let run = life.sortedRun, run.index == index, run.transactionID == transactionID, run.columns == columns
      else { return nil }
      return run.uuids
    }
  }

  func remember(_ run: SortedRun) { if run.isLong { life.withLock { $0.sortedRun = run } } }

  // MARK: Hashes

  /// The first bytes of the hash of the transaction at a position, if it was the last one asked for.
  func rememberedHash(at position: Position) -> UInt64? {
    life.withLock { $0.base == position ? $0.baseHash : nil }
  }

  func knowHash(_ hash: UInt64, at position: Position) { life.withLock { ($0.base, $0.baseHash) = (position, hash) } }

  // MARK: Pins

  /// Keeps the past from the last known head on, until ``unpin(_:)``.
  package func pin() -> Position { held(window.pin()) }
  /// A pin at the head, including the commits of other processes. If they cannot be read, it pins the last known head,
  /// and the next read throws the reason. `nil` before the store is open.
  package func pinAtHead() -> Position? {
    guard isReady else { return nil }
    _ = try? refreshedHead()
    return held(window.pin())
  }
  /// The same from this position on.
  package func pin(at position: Position) -> Position { held(window.pin(at: position)) }
  /// Takes one pin at a position back.
  package func unpin(_ position: Position) {
    window.unpin(position)
    pinned.release(head: window.head, exactly: window.lowestPin == nil) { window.lowestPin }
  }
  package func movePin(from old: Position, to new: Position) {
    pinned.hold(new)
    window.movePin(from: old, to: new)
    pinned.release(head: window.head) { window.lowestPin }
  }

  /// A new pin, which keeps all processes from dropping what is behind it.
  private func held(_ position: Position) -> Position {
    if isReady { pinned.hold(position) }
    return position
  }

  // MARK: Closing

  /// Marks the store closed; false if it was closed already.
  func markClosed() -> Bool { !isMarkedClosed.exchange(true, ordering: .relaxed) }
  func markOpen() { isMarkedClosed.store(false, ordering: .relaxed) }
}

/// Objects of the main actor that live as long as the store is open.
@MainActor package final class MainContextSlot {
  package var object: AnyObject?
  /// The objects that restore scenes.
  package var scenes: [any StoreScene] = []
  /// Those that edit in the store, and restore scenes of another.
  private var weakEditors: [WeakObject] = []
  nonisolated init() {}

  private struct WeakObject { weak var object: AnyObject? }

  /// Those that edit in the store, and restore scenes of another. They are not held.
  package var editors: [AnyObject] { weakEditors.compactMap(\.object) }

  package func addEditor(_ editor: AnyObject) {
    weakEditors.removeAll { $0.object == nil || $0.object === editor }
    weakEditors.append(WeakObject(object: editor))
  }

  /// The store is closed, and all that was appended is in the files.
  func close() {
    for scene in scenes { scene.storeWasClosed() }
    empty()
  }

  func empty() {
    object = nil
    (scenes, weakEditors) = ([], [])
  }
}

/// A scene whose screens are in the store's journal.
@MainActor package protocol StoreScene: AnyObject {
  /// Appends the states of its screens, as the end of the turn does.
  func writeChanges()
  /// The store was closed, and nothing was lost. Not called when the store ends as by a kill.
  func storeWasClosed()
}
