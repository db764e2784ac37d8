import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel
import RepriseSharing
import RepriseTesting

/// A server whose connection to the shared log is a function call, so that one thread runs all servers.
final class SimulatedServer: LogSharing, @unchecked Sendable {
  // Safe: all servers of a simulation run on one thread.
  let name: String
  let log: MemoryLog
  private(set) var replica: Replica!
  /// A packet that may or may not be in the shared log, and that no save waits for.
  private var orphan: (packet: LogPacket, after: LogPlace)?
  /// What happens to an append.
  var fate: () -> Fate = { .none }
  /// Called between the rehearsal of an append and the append.
  var interrupt: () -> Void = {}
  /// The failure that the server must not have.
  private(set) var failure: (any Error)?
  /// Whether the process was killed during an append.
  private(set) var isKilled = false
  var mistake: Mistake?
  /// The rows of indexes at the end of each rehearsal.
  private(set) var indexRows: [Int] = []

  enum Fate { case none, lostBefore, lostAfter, disconnected, killedBefore, killedAfter }

  /// A mistake that the simulation must find.
  enum Mistake: CaseIterable {
    /// The shared log takes a packet that it has once more.
    case noDeduplication
    /// An append without an answer counts as one that failed.
    case unknownIsRefused
    /// A packet that the shared log has is planned and appended again.
    case duplicateIsBehind
  }

  init(_ name: String, _ log: MemoryLog) { (self.name, self.log) = (name, log) }

  func begin(_ store: SharedStore) throws(StoreError) {
    replica = Replica(store)
    do {
      if try replica.sharedPlace() == nil { try share(.beginning(ofEpoch: 1)) }
      try replica.nameCopy()
      try replica.require(log.attach(to: store.logID), replica.place())
    } catch {
      throw .notAStore(path: store.path, reason: "\(error)")
    }
  }

  private func share(_ beginning: LogPlace) throws {
    try replica.begin { (packet) throws(StoreError) in
      switch log.append(packet, to: replica.store.logID, after: beginning) {
      case .appended(let place): return (place, packet)
      case .behind(let page): return page.packets[0]
      case let answer: throw Self.unavailable("\(answer)")
      }
    }
  }

  func waitForPackets() {}
  func didOpen(_ store: Store) {}
  func stop(_ path: String) {}
  func end() async {}

  func packet(
    from first: Position, derivations: [UInt32: UInt32], consuming drafts: [FrozenDraft], in journals: [UniqueID],
    _ view: View
  ) throws(StorageError) -> any RehearsedPacket {
    indexRows.append(try view.entryCount(replica.store.tables.indexes))
    let (packet, place) = try replica.packet(
      from: first, derivations: derivations, consuming: drafts, in: journals, view)
    return Append(server: self, packet: packet, place: place)
  }

  func write<Value>(
    _ environment: Environment, _ tables: StoreTables, by models: ResolvedSchema,
    unless isCancelled: (_ milliseconds: Int) -> Bool,
    _ body: (borrowing WriteTransaction) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try rehearse(environment, tables, by: models, unless: isCancelled, body)
  }

  func commit(
    _ requests: inout [SaveRequest], to store: Store, unless isCancelled: (Int, inout [SaveRequest]) -> Bool,
    joinedBy late: () -> [SaveRequest]
  ) throws(SaveFailure) -> [Result<AppendedSave, AppendRefusal>] {
    try store.writer.append(&requests, to: store, through: self, unless: isCancelled, joinedBy: late)
  }

  private struct Append: RehearsedPacket {
    let server: SimulatedServer
    let packet: LogPacket
    let place: LogPlace
    func append() -> SharedAppend { server.append(packet, after: place) }
  }

  private static func unavailable(_ reason: String) -> StoreError {
    .sharing(path: "", reason: SharedLogError.unavailable(reason: reason))
  }

  private func append(_ packet: LogPacket, after place: LogPlace) -> SharedAppend {
    do {
      interrupt()
      try endOrphan()
      if orphan != nil { return .refused(Self.unavailable("an earlier packet has no answer")) }
      if try replica.place() != place { return .behind }
      for _ in 0..<3 {
        switch try send(packet, after: place) {
        case .applied(let last)?: return .applied(last)
        case .behind?: return .behind
        case .unknown?: orphan = (packet, place)
        case nil: if orphan == nil { return .refused(Self.unavailable("disconnected")) }
        }
        if isKilled { break }
        if mistake == .unknownIsRefused {
          orphan = nil
          return .refused(Self.unavailable("no answer"))
        }
        interrupt()
      }
      return .unknown(opening: Self.unavailable("no answer"))
    } catch {
      failure = failure ?? error
      return .refused(Self.unavailable("\(error)"))
    }
  }

  /// `nil` if the append did not reach the shared log.
  private func send(_ packet: LogPacket, after place: LogPlace) throws -> AppendOutcome? {
    func append() -> AppendAnswer {
      log.append(packet, to: replica.store.logID, after: place, deduplicates: mistake != .noDeduplication)
    }
    switch fate() {
    case .disconnected: return nil
    case .killedBefore:
      isKilled = true
      return .unknown
    case .killedAfter:
      _ = append()
      isKilled = true
      return .unknown
    case .lostBefore: return .unknown
    case .lostAfter:
      _ = append()
      return .unknown
    case .none:
      let answer = append()
      // As in `SharedLogConnection`: the store has gone on, and the log knows the IDs of all packets that it had.
      if case .beforeFirst = answer, try replica.place() != place {
        orphan = nil
        return .behind(hasMore: false)
      }
      let outcome = try replica.take(answer, to: packet)
      if mistake == .duplicateIsBehind, case .duplicate = answer {
        orphan = nil
        return .behind(hasMore: false)
      }
      if case .unknown = outcome {} else { orphan = nil }
      return outcome
    }
  }

  private func endOrphan() throws {
    guard let (packet, place) = orphan else { return }
    _ = try send(packet, after: place)
  }

  /// Takes the packets of the other servers.
  func follow(limit: Int = 256) throws {
    try endOrphan()
    switch log.read(replica.store.logID, after: try replica.place(), limit: limit) {
    case .packets(let page): _ = try replica.follow(page.packets)
    case .beforeFirst: throw SharedLogError.released
    case .diverged: throw SharedLogError.rolledBack
    }
  }

  /// Takes all packets, with a connection that works.
  func settle() throws {
    let fate = fate
    self.fate = { .none }
    defer { self.fate = fate }
    repeat { try follow() } while try replica.place() != log.attach(to: replica.store.logID).last
  }
}
