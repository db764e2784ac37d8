import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem
import Synchronization

/// A directory that holds an append-only log of changes, the current objects and indexes derived from the log, drafts,
/// and restoration archives.
///
/// A store is open once per process: opening the same directory again returns the same instance. `Store` is `Sendable`.
/// Contexts are not, so make one from the store wherever you need it.
///
/// Any number of processes may have the store open. Readers and writers never wait for each other; writers wait for
/// each other.
public final class Store: Sendable {
  /// The path of the store's directory, as it was passed to the first opening.
  public let path: String
  let keyframes: KeyframeSpacing
  let wallClock: @Sendable () -> Int64
  let conversions: ConversionHistory
  package let writer = LogWriter()
  let indexing = BackgroundIndexing()
  package let others = OtherProcesses()
  let projections = InstalledProjections()
  let blobClaims: BlobClaims
  package let cleaning = BackgroundSteps()
  let pinned: PinnedPositions
  /// All maps ever in use. None is released, so that readers load the last one without a lock.
  private let maps = Guarded<[SchemaMap]>([])
  private let lastMap = Atomic<Unmanaged<SchemaMap>?>(nil)
  /// `nil` until the store is open.
  private let opened = Atomic<Unmanaged<StoreFiles>?>(nil)
  let beginning = Guarded<Opening?>(nil)
  /// The files that scenes use until the store is open.
  let lent = Guarded<StoreFiles?>(nil)
  private let isMarkedClosed = Atomic<Bool>(false)
  let memory = Guarded(Memory())
  /// Whether there are monitors. Each fetch reads it, so it is not behind the lock of `memory`.
  package let isMonitored = Atomic<Bool>(false)

  fileprivate struct HeadObserver {
    let token: Int
    let body: @Sendable () -> Void
  }

  struct Memory {
    fileprivate var nextObserver = 0
    fileprivate var observers: [HeadObserver] = []
    var monitors: [any StoreMonitor] = []
    /// The run of an index that was sorted last.
    var sortedRun: SortedRun?
    /// The position whose hash was last asked for.
    var base: Position = 0
    var baseHash: UInt64 = 0
  }

  /// A store that is not open yet; ``begin(_:_:)`` must follow.
  init(path: String, _ options: StoreOptions) {
    self.path = path
    keyframes = options.keyframes
    wallClock = options.wallClock
    conversions = ConversionHistory(options.migration)
    blobClaims = BlobClaims(path: path + "/data.mdb")
    pinned = PinnedPositions(path: path + "/data.mdb")
  }

  deinit { opened.load(ordering: .acquiring)?.release() }

  // MARK: Files

  /// Whether the store is open, or was until it was closed. False only for a store from `Store.opening` that has not
  /// become ready. ``ready()`` waits for it.
  public var isReady: Bool { opened.load(ordering: .acquiring) != nil }

  // Safe: the store retains them until its end.
  var files: StoreFiles { opened.load(ordering: .acquiring)?.takeUnretainedValue() ?? .none }

  package var environment: Environment { files.environment }
  package var tables: StoreTables { files.tables }
  /// The log's ID in URIs, drafts and frames.
  package var logID: UniqueID { files.logID }
  package var window: VersionWindow { files.window }
  package var journal: Journal { files.journal }

  /// The store is open from now on.
  func begin(_ files: StoreFiles, _ map: SchemaMap) {
    maps.withLock { use(map, &$0) }
    opened.store(Unmanaged.passRetained(files), ordering: .releasing)
    scenes.endLending()
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

  /// Uses a map if it is newer than the current one. Two readers may learn a schema at the same time, in different
  /// transactions.
  func learn(_ map: SchemaMap) {
    maps.withLock { maps in
      guard map.revision > self.map.revision else { return }
      let map = map.refusal == nil ? map : SchemaMap(self.map, refusedBy: map)
      use(map, &maps)
      journal.use(map)
    }
  }

  package var isClosed: Bool { isMarkedClosed.load(ordering: .relaxed) }

  // MARK: Head observers

  /// Calls `body`, on any thread, after the head has moved.
  package func observeHead(_ body: @escaping @Sendable () -> Void) -> Int {
    memory.withLock { memory in
      memory.nextObserver += 1
      memory.observers.append(HeadObserver(token: memory.nextObserver, body: body))
      return memory.nextObserver
    }
  }

  package func removeHeadObserver(_ token: Int) { memory.withLock { $0.observers.removeAll { $0.token == token } } }

  /// - Parameter savers: The observers of the contexts that moved the head, which know it from their saves.
  func headMoved(except savers: [Int] = []) {
    for observer in memory.withLock({ $0.observers }) where !savers.contains(observer.token) { observer.body() }
  }

  // MARK: Pins

  /// Keeps the past readable from the last known head on, until ``unpin(_:)``.
  package func pin() -> Position { held(window.pin()) }
  /// A pin at the head, including the commits of other processes. If they cannot be read, it pins the last known head,
  /// and the next read throws the reason. `nil` before the store is open.
  package func pinAtHead() -> Position? {
    guard isReady else { return nil }
    _ = try? refreshedHead()
    return held(window.pin())
  }
  /// Keeps the past readable from this position on.
  package func pin(at position: Position) -> Position { held(window.pin(at: position)) }
  /// Removes one pin at a position.
  package func unpin(_ position: Position) {
    window.unpin(position)
    pinned.release(head: window.head, exactly: window.lowestPin == nil) { window.lowestPin }
  }
  package func movePin(from old: Position, to new: Position) {
    pinned.hold(new)
    window.movePin(from: old, to: new)
    pinned.release(head: window.head) { window.lowestPin }
  }

  /// A new pin, which keeps all processes from dropping the transactions after it.
  private func held(_ position: Position) -> Position {
    if isReady { pinned.hold(position) }
    return position
  }

  // MARK: Closing

  /// Marks the store closed. False if it was closed already.
  func markClosed() -> Bool { !isMarkedClosed.exchange(true, ordering: .relaxed) }
  func markOpen() { isMarkedClosed.store(false, ordering: .relaxed) }
}
