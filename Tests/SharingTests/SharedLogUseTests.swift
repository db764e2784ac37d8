import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseSharing
import RepriseSystem
import RepriseTestModels
import RepriseTesting
import XCTest

/// A program that uses a shared log in an unusual way.
@MainActor
final class SharedLogUseTests: XCTestCase {
  private static let schema = Schema(Parcel.self, Depot.self)

  func testASharedLogIsForOneStore() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    do {
      _ = try await Store.open(servers.path("two"), for: Self.schema, sharing: one.sharing)
      XCTFail("The shared log has a store.")
    } catch StoreError.inUse {}
    // The first store goes on.
    let context = RootContext(one.store)
    context.insert(Depot("a"))
    try await context.save()
    XCTAssertNil(one.sharing.status.problem)
    try await servers.end(one)
    // A closed store leaves its shared log to another one.
    let two = try await Store.open(servers.path("two"), for: Self.schema, sharing: one.sharing)
    XCTAssertEqual(one.sharing.status.log, two.logID)
    try await two.close()
  }

  func testAReleaseRemovesPackets() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let context = RootContext(one.store)
    for name in ["a", "b", "c"] {
      context.insert(Depot(name))
      try await context.save()
    }
    let place = try XCTUnwrap(one.sharing.status.place)
    context.insert(Depot("d"))
    try await context.save()
    try await one.sharing.release(upTo: place)
    XCTAssertEqual(servers.log.attach(to: one.store.logID).first, place)
    XCTAssertEqual(one.sharing.status.appended, 4)
    one.connection.isConnected = false
    do {
      try await one.sharing.release(upTo: place)
      XCTFail("There is no connection.")
    } catch SharedLogError.unavailable {}
    one.connection.isConnected = true
    let log = one.sharing
    try await servers.end(one)
    do {
      try await log.release(upTo: place)
      XCTFail("The store is closed.")
    } catch SharedLogError.closed {}
  }

  func testATooLargePacketIsRefusedAtOnce() async throws {
    let log = SmallLog(MemoryLog().connection())
    let servers = try SharedStores(Self.schema)
    let store = try await Store.open(servers.path("one"), for: Self.schema, sharing: SharedLog(log))
    let context = RootContext(store)
    context.insert(Depot(String(repeating: "x", count: 5_000)))
    do {
      try await context.save()
      XCTFail("The packet is too large.")
    } catch SaveError.store(.sharing(_, SharedLogError.packet(.tooLarge))) {}
    XCTAssertEqual(log.attempts.withLock(\.self), 1)
    context.discard()
    context.insert(Depot("a"))
    try await context.save()
    try await store.close()
  }

  func testAServerThatStopsGivesItsTurnBack() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    let id = one.store.logID
    // Another server has been faster, so this one takes its turn.
    let context = RootContext(two.store)
    context.insert(Depot("a"))
    try await context.save()
    let late = RootContext(one.store)
    late.insert(Depot("b"))
    try await late.save()
    servers.log.forget(after: 0)
    late.insert(Depot("c"))
    do {
      try await late.save()
      XCTFail("The log was set back.")
    } catch SaveError.store(.sharing(_, SharedLogError.rolledBack)) {}
    try await servers.waitForFailure(of: one, .rolledBack)
    let other = servers.log.connection()
    _ = try await other.attach(to: id)
    let hasTurn = try await other.takeTurn()
    XCTAssertTrue(hasTurn)
    await one.store.abandon()
    await two.store.abandon()
  }
}

/// A log that keeps small packets only.
private final class SmallLog: LogTransport {
  private let base: MemoryLogConnection
  let attempts = Guarded(0)

  init(_ base: MemoryLogConnection) { self.base = base }

  func attach(to log: UniqueID) async throws -> LogStanding { try await base.attach(to: log) }

  func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer {
    if packet.bytes.count > 4_000 {
      attempts.withLock { $0 += 1 }
      throw PacketError.tooLarge(bytes: packet.bytes.count)
    }
    return try await base.append(packet, after: place)
  }

  func read(after place: LogPlace, limit: Int) async throws -> LogReading {
    try await base.read(after: place, limit: limit)
  }

  func hints() -> AsyncStream<Void> { base.hints() }
  func release(upTo place: LogPlace) async throws { try await base.release(upTo: place) }
  func detach() async { await base.detach() }
}
