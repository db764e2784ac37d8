import Foundation
import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSharing
import RepriseSystem
import RepriseTestModels
import RepriseTesting
import XCTest

/// Openings and closings of stores that share their log.
@MainActor
final class SharedOpeningTests: XCTestCase {
  private static let schema = Schema(Parcel.self, Depot.self)
  private static let derived = Schema(Guest.self, Hotel.self)

  func testDerivedAttributesOfANewerProgramAreShared() async throws {
    let servers = try SharedStores(Schema(PlainGuest.self))
    let one = try await servers.open("one")
    let context = RootContext(one.store)
    for number in 0..<30 { context.insert(PlainGuest("Ada", "Number\(number)")) }
    try await context.save()
    let two = try await servers.open("two", for: Self.derived, from: one)
    func names(_ server: SharedStores.Server) throws -> [String] {
      let guests = try RootContext(server.store).fetch(Fetch<Guest> { $0.fullName == "Ada Number7" })
      return guests.map(\.last)
    }
    XCTAssertEqual(try names(two), ["Number7"])
    // The earlier program saves on. The names in the store are outdated until the newer one opens it again.
    try await servers.wait(for: one, toReach: two)
    try context.refresh()
    try XCTUnwrap(context.fetch(Fetch<PlainGuest>()).first { $0.last == "Number7" }).first = "Bob"
    try await context.save()
    try await servers.wait(for: two, toReach: one)
    try await servers.end(two)
    let again = try await servers.open("two", for: Self.derived)
    XCTAssertEqual(try names(again), [])
    try await servers.wait(for: one, toReach: again)
    for server in [one, again] {
      XCTAssertEqual(try StoreMaintenance.verifyNow(server.store).problems, [], server.name)
    }
    try await servers.end(one, again)
  }

  func testAFillWithoutTheSharedLogIsRefused() async throws {
    let servers = try SharedStores(Schema(PlainGuest.self))
    let path = servers.path("one")
    let store = try Store.openNow(path, for: Schema(PlainGuest.self), SharedStores.options(nil))
    let context = RootContext(store)
    for number in 0..<30 { context.insert(PlainGuest("Ada", "Number\(number)")) }
    try await context.save()
    try await store.close()
    // Another process shares the store while this one computes its derived attributes.
    var options = SharedStores.options(nil)
    options.indexing.onStep = {
      let environment = try? Environment.open(directory: path, SharedStores.environmentOptions)
      defer { environment?.close() }
      if let environment { try? Replica(environment, path).beginAlone() }
    }
    XCTAssertThrowsError(try Store.openNow(path, for: Self.derived, options)) { error in
      guard case StoreError.sharesLog(_) = error else { return XCTFail("\(error)") }
    }
  }

  /// A rehearsal that takes long would lose each race with servers that save all the time.
  func testARehearsalDoesNotBuildNewIndexes() async throws {
    let log = MemoryLog()
    let path = NSTemporaryDirectory() + "reprise-indexes-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = SharedStores.options(nil)
    options.sharing = SimulatedServer("old", log)
    var store = try Store.openNow(path, for: Schema(OldBicycle.self, OldShed.self), options)
    let context = RootContext(store)
    for number in 0..<50 { context.insert(OldBicycle(name: "bicycle \(number)")) }
    try await context.save()
    let rows = try store.read { (view, _) throws(StorageError) in try view.entryCount(store.tables.indexes) }
    try await store.close()
    let server = SimulatedServer("new", log)
    options.sharing = server
    store = try Store.openNow(path, for: Schema(NewBicycle.self, NewShed.self), options)
    XCTAssertEqual(server.indexRows, [rows])
    XCTAssertEqual(try RootContext(store).count(Fetch<NewBicycle> { $0.gears == 3 }), 50)
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
    try await store.close()
  }

  func testALostFirstAnswerDoesNotBlockTheLog() async throws {
    for point in [MemoryLogConnection.LostAnswer.beforeAppending, .afterAppending] {
      let servers = try SharedStores(Self.schema)
      do {
        _ = try await servers.open("one") { $0.loseNextAnswer(point) }
        XCTFail("The first packet has no answer.")
      } catch StoreError.sharing(_, SharedLogError.unavailable(let reason)) {
        XCTAssertEqual(reason, "it did not give its first packet")
      }
      let one = try await servers.open("one")
      XCTAssertEqual(try servers.packets(one).count, 1)
      XCTAssertEqual(try StoreMaintenance.verifyNow(one.store).problems, [])
      try await servers.end(one)
    }
  }

  func testAnOpeningThatFailsCanBeRepeated() async throws {
    let servers = try SharedStores(Self.schema)
    try await servers.end(try await servers.open("one"))
    let sharing = SharedLog(servers.log.connection())
    var options = SharedStores.options(sharing)
    options.isStrict = true
    XCTAssertThrowsError(try Store.openNow(servers.path("one"), for: Schema(Depot.self), options))
    options.isStrict = false
    let store = try Store.openNow(servers.path("one"), for: Self.schema, options)
    let context = RootContext(store)
    for name in ["a", "b", "c"] {
      context.insert(Depot(name))
      try await context.save()
    }
    XCTAssertNil(sharing.status.failure)
    try await store.close()
  }

  func testAStoreGoesOnAfterItsSharedLogWasLost() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    let context = RootContext(one.store)
    for name in ["a", "b", "c"] {
      context.insert(Depot(name))
      try await context.save()
    }
    do {
      try await StoreMaintenance.endSharing(servers.path("one"))
      XCTFail("The store is open.")
    } catch StoreError.inUse {}
    try await servers.end(one)
    servers.log.forget(after: 1)
    servers.log.raiseEpoch()
    try await servers.waitForFailure(of: two, .rolledBack)
    try await StoreMaintenance.endSharing(servers.path("one"))
    try await StoreMaintenance.endSharing(servers.path("one"))
    // The store has its log alone now.
    let alone = try Store.openNow(servers.path("one"), for: Self.schema, SharedStores.options(nil))
    XCTAssertEqual(try RootContext(alone).count(Fetch<Depot>()), 3)
    XCTAssertEqual(try StoreMaintenance.verifyNow(alone).problems, [])
    XCTAssertNil(alone.sharing)
    do {
      try await StoreMaintenance.makeSeed(of: alone, at: servers.path("seed"))
      XCTFail("The store has its log alone.")
    } catch StoreError.sharing(_, SharedLogError.notShared) {}
    try await alone.close()
    // It begins the shared log again, and the other servers with it.
    servers.log.forget(after: 0)
    let again = try await servers.open("one")
    let three = try await servers.open("three", from: again)
    let other = RootContext(three.store)
    other.insert(Depot("d"))
    try await other.save()
    try await servers.wait(for: again, toReach: three)
    XCTAssertEqual(try RootContext(again.store).count(Fetch<Depot>()), 4)
    await two.store.abandon()
    try await servers.end(again, three)
  }

  func testAnOpenStoreDoesNotBeginToShare() async throws {
    let servers = try SharedStores(Self.schema)
    let store = try Store.openNow(servers.path("one"), for: Self.schema, SharedStores.options(nil))
    do {
      _ = try await servers.open("one")
      XCTFail("The store is open.")
    } catch StoreError.inUse {}
    try await store.close()
  }

  func testClosingWaitsForAllSavesOfALongQueue() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    one.connection.holdsAnswers = true
    let store = one.store
    let begun = Guarded(0)
    let saves = (0..<700).map { number in
      Task {
        try await store.write { context in
          _ = context.insert(Depot("\(number)"))
          begun.withLock { $0 += 1 }
        }
      }
    }
    while begun.withLock({ $0 }) < 700 { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(20))
    let closing = Task { try await store.close() }
    try await Task.sleep(for: .milliseconds(5))
    one.connection.holdsAnswers = false
    try await closing.value
    for save in saves { try await save.value }
    let again = try await servers.open("one")
    XCTAssertEqual(try RootContext(again.store).count(Fetch<Depot>()), 700)
    try await servers.end(again)
  }

  func testOnlySavesOfTheSentPacketAreUndecided() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one", patience: 50_000_000)
    one.connection.holdsAnswers = true
    let store = one.store
    let saves = (0..<400).map { number in
      Task { try await store.write { context in _ = context.insert(Depot("\(number)")) } }
    }
    var (undecided, unavailable) = (0, 0)
    for save in saves {
      do {
        try await save.value
        XCTFail("The log is silent.")
      } catch SaveError.outcomeUnknown {
        undecided += 1
      } catch SaveError.unavailable {
        unavailable += 1
      }
    }
    XCTAssertEqual(undecided + unavailable, 400)
    XCTAssertLessThanOrEqual(undecided, 256)
    await one.store.abandon()
    one.connection.holdsAnswers = false
  }

  func testAPacketOfAnotherProcessIsNoRollback() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let replica = Replica(one.store)
    let (place, standing) = (try replica.place(), servers.log.attach(to: one.store.logID))
    let context = RootContext(one.store)
    context.insert(Depot("a"))
    try await context.save()
    try replica.require(standing, place)
    XCTAssertThrowsError(try replica.require(standing, replica.place()))
    try await servers.end(one)
  }

  func testABackupIsAnotherCopy() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    try await StoreMaintenance.backup(one.store, to: servers.path("two"))
    let two = try await servers.open("two")
    let copies = try [one, two].map { try Replica($0.store).sharedPlace()?.copy }
    XCTAssertNotEqual(copies[0], copies[1])
    XCTAssertFalse(copies.contains(.zero))
    try await servers.end(one, two)
  }
}
