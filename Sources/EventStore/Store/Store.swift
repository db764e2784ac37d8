import RepriseLMDB
import RepriseSystem
import RepriseObjectModel
import Synchronization

/// A directory with an append-only log of changes, and what follows from it: the objects as they are now, their
/// indexes, drafts and restoration archives.
///
/// A store is open once per process: opening the same directory again gives the same instance. It is `Sendable`;
/// contexts, which are not, are made from it wherever they are needed. Any number of processes may have one store open:
/// readers and the writer never wait for each other, writers wait for each other.
public final class Store: Sendable {
  /// The store's directory.
  public let path: String
  package let durability: Durability
  let environment: Environment
  package let tables: StoreTables
  let objects: ObjectTable
  let log: LogTable
  /// Names the log in URIs, drafts and frames.
  package let logID: UniqueID
  package let window: VersionWindow
  let writer: LogWriter
  package let journal: Journal
  /// All that were ever in use. None is let go, so that a reader takes the last one without a lock.
  private let maps: Guarded<[SchemaMap]>
  private let lastMap: Atomic<Unmanaged<SchemaMap>>
  private let isMarkedClosed = Atomic<Bool>(false)
  /// What the last save of this process left, for the next one: nobody wrote in between if its LMDB transaction is the
  /// next.
  let lastCommit = Guarded<LastCommit?>(nil)
  private let life = Guarded(Life())
  /// Holds the main actor's context, so that each asker gets the same one.
  package let mainContextSlot = MainContextSlot()

  // No tuple, whose type takes 30 us to make at each start.
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
  }

  init(
    path: String, durability: Durability, environment: Environment, logID: UniqueID, map: SchemaMap,
    window: VersionWindow, writer: LogWriter, journal: Journal
  ) {
    self.path = path
    self.durability = durability
    self.environment = environment
    self.logID = logID
    self.window = window
    self.writer = writer
    self.journal = journal
    tables = journal.tables
    objects = ObjectTable(tables.objects)
    log = LogTable(tables.log)
    maps = Guarded([map])
    lastMap = Atomic(Unmanaged.passUnretained(map))
  }

  /// The models of this process, tied to the store's numbers.
  // Safe: `maps` holds it as long as the store lives.
  package var map: SchemaMap { lastMap.load(ordering: .acquiring).takeUnretainedValue() }

  /// Nothing happens where a newer one is known: two readers may learn at once, from different snapshots.
  func learn(_ map: SchemaMap) {
    maps.withLock { maps in
      guard map.revision > self.map.revision else { return }
      maps.append(map)
      lastMap.store(Unmanaged.passUnretained(map), ordering: .releasing)
      journal.use(map)
    }
  }

  /// The place of the last transaction, as this process last saw it.
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

  // MARK: Pins

  package func pin() -> Position { window.pin() }
  /// A pin at the head. Looks at what other processes did; if that fails, the next read says why.
  package func pinAtHead() -> Position {
    _ = try? refreshedHead()
    return window.pin()
  }
  package func pin(at position: Position) -> Position { window.pin(at: position) }
  package func unpin(_ position: Position) { window.unpin(position) }
  package func movePin(from old: Position, to new: Position) { window.movePin(from: old, to: new) }

  // MARK: Closing

  /// Marks the store closed; false if it was closed already.
  func markClosed() -> Bool { !isMarkedClosed.exchange(true, ordering: .relaxed) }
  func markOpen() { isMarkedClosed.store(false, ordering: .relaxed) }
}

/// A place for the objects of the main actor that live as long as the store is open.
@MainActor package final class MainContextSlot {
  package var object: AnyObject?
  /// What restores scenes.
  package var scenes: [AnyObject] = []
  nonisolated init() {}

  func empty() {
    object = nil
    scenes = []
  }
}
