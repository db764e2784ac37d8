import Foundation
import RepriseEventStore
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSharing
import RepriseTestModels
import XCTest

/// A machine whose store gets a new seed loses unsaved edits, or data that only the old file has.
@MainActor
final class ReseedTests: XCTestCase {
  private static let schema = Schema(Photo.self, Depot.self, Parcel.self)

  /// Two servers, and the second one needs a seed.
  private func makeServers(
    _ prepare: @MainActor (SharedStores.Server) async throws -> Void
  ) async throws -> (SharedStores, SharedStores.Server) {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let context = RootContext(one.store)
    context.insert(Depot("Harbour"))
    try await context.save()
    let two = try await servers.open("two", from: one)
    try await prepare(two)
    try await two.store.flush()
    await two.store.abandon()
    context.insert(Depot("Airport"))
    try await context.save()
    context.insert(Depot("Station"))
    try await context.save()
    try await one.sharing.release(upTo: try XCTUnwrap(one.sharing.status.place))
    let stopped = try await servers.open("two")
    try await servers.waitForFailure(of: stopped, .released)
    try await servers.end(stopped)
    return (servers, one)
  }

  func testASeedKeepsUnsavedEditsOfTheMachine() async throws {
    for isCheckpointed in [false, true] {
      let bytes = [UInt8](repeating: 7, count: 9_000)
      var copy: UniqueID?
      let (servers, one) = try await makeServers { two in
        copy = try Replica(two.store).sharedPlace()?.copy
        let context = try RootContext(two.store, draft: "desk")
        try context.fetch(Fetch<Depot>())[0].name = "Old harbour"
        context.insert(Photo(name: "Crane", original: try await Blob(bytes, in: two.store)))
        if isCheckpointed { try await two.store.journals.checkpoint() }
      }
      try await StoreMaintenance.makeSeed(of: one.store, at: servers.path("seed"))
      try await StoreMaintenance.reseed(servers.path("two"), from: servers.path("seed"))
      let two = try await servers.open("two")
      XCTAssertEqual(try Replica(two.store).sharedPlace()?.copy, copy)
      let context = try RootContext(two.store, draft: "desk")
      XCTAssertEqual(
        try context.fetch(Fetch<Depot>()).map(\.name).sorted(), ["Airport", "Old harbour", "Station"])
      let photo = try XCTUnwrap(context.fetch(Fetch<Photo>()).first)
      let read = try await photo.original.bytes(in: two.store)
      XCTAssertEqual(read, bytes)
      XCTAssertEqual(try StoreMaintenance.verifyNow(two.store).problems, [])
      try await context.save()
      try await servers.wait(for: one, toReach: two)
      XCTAssertEqual(try RootContext(one.store).fetch(Fetch<Depot>()).map(\.name).sorted()[1], "Old harbour")
      XCTAssertEqual(try StoreMaintenance.verifyNow(one.store).problems, [])
      XCTAssertFalse(try RootContext(two.store, draft: "other").hasChanges)
      try await servers.end(one, two)
    }
  }

  func testTheFileThatASeedReplacesStays() async throws {
    let (servers, one) = try await makeServers { _ in }
    try await StoreMaintenance.makeSeed(of: one.store, at: servers.path("seed"))
    for _ in 0..<2 { try await StoreMaintenance.reseed(servers.path("two"), from: servers.path("seed")) }
    let files = FileManager.default
    for (number, count) in [(1, 1), (2, 3)] {
      let old = servers.path("old\(number)")
      try files.createDirectory(atPath: old, withIntermediateDirectories: false)
      try files.moveItem(atPath: servers.path("two/data.mdb.replaced-\(number)"), toPath: old + "/data.mdb")
      try await StoreMaintenance.endSharing(old)
      let store = try Store.openNow(old, for: Self.schema, SharedStores.options(nil))
      XCTAssertEqual(try RootContext(store).count(Fetch<Depot>()), count)
      try await store.close()
    }
    // The seed has not changed, so another server can begin with it.
    let two = try await servers.open("two")
    let three = try await servers.open("seed")
    XCTAssertNotEqual(try Replica(two.store).sharedPlace()?.copy, try Replica(three.store).sharedPlace()?.copy)
    try await servers.end(one, two, three)
  }

  func testADraftOverLostSavesIsReported() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    try await StoreMaintenance.makeSeed(of: one.store, at: servers.path("seed"))
    let context = RootContext(two.store)
    context.insert(Depot("Harbour"))
    try await context.save()
    let draft = try RootContext(two.store, draft: "desk")
    try draft.fetch(Fetch<Depot>())[0].name = "Old harbour"
    try await two.store.flush()
    await two.store.abandon()
    await one.store.abandon()
    servers.log.forget(after: 1)
    try await StoreMaintenance.reseed(servers.path("two"), from: servers.path("seed"))
    let again = try await servers.open("two")
    let resumed = try RootContext(again.store, draft: "desk")
    XCTAssertFalse(resumed.draftProblems.isEmpty)
    try await servers.end(again)
  }

  func testAWrongSeedChangesNothing() async throws {
    let (servers, one) = try await makeServers { _ in }
    let other = try SharedStores(Self.schema)
    let owner = try await other.open("other")
    let otherLog = owner.store.logID
    try await other.end(owner)
    let alone = try Store.openNow(servers.path("alone"), for: Self.schema, SharedStores.options(nil))
    try await alone.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: servers.path("two/data.mdb")))
    for seed in [other.path("other"), servers.path("alone")] {
      do {
        try await StoreMaintenance.reseed(servers.path("two"), from: seed)
        XCTFail(seed)
      } catch StoreError.notAStore(let path, let reason) {
        if seed == servers.path("alone") {
          XCTAssertEqual(path, seed)
          XCTAssertEqual(reason, "it does not share its log, so it is no seed")
        } else {
          XCTAssertEqual(path, servers.path("two"))
          XCTAssertEqual(reason, "its log is \(one.store.logID), and the log of the seed is \(otherLog)")
        }
      }
    }
    do {
      try await StoreMaintenance.reseed(servers.path("two"), from: servers.path("nothing"))
      XCTFail("There is no seed.")
    } catch StoreError.notFound(let path) { XCTAssertEqual(path, servers.path("nothing")) }
    do {
      try await StoreMaintenance.reseed(servers.path("one"), from: servers.path("two"))
      XCTFail("The store is open.")
    } catch StoreError.inUse {}
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: servers.path("two/data.mdb"))), before)
    let names = try FileManager.default.contentsOfDirectory(atPath: servers.path("two"))
    XCTAssertEqual(names.filter { $0.hasPrefix("data.mdb") }, ["data.mdb"])
    try await servers.end(one)
  }
}
