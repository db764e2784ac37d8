import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseSharing
import RepriseTestModels
import XCTest

/// A server that cannot follow its shared log, and does not say what to do.
@MainActor
final class SharedLogErrorTests: XCTestCase {
  private static let schema = Schema(Parcel.self, Depot.self)

  func testSharedLogErrors() {
    func check(_ error: SharedLogError, _ text: String, line: UInt = #line) {
      XCTAssertEqual(error.description, text, line: line)
    }
    check(
      .rolledBack,
      """
      the shared log has other transactions than this store. Somebody may have restored a backup of the shared log. \
      Begin with a new seed
      """)
    check(
      .released,
      "the shared log has dropped transactions that this store lacks. Begin with a new seed")
    check(.exists, "other stores share this log already. Begin with a seed, which one of them makes")
    check(
      .unfinished(work: "indexes of the store are being built"),
      "indexes of the store are being built. Open the store without sharing it, and wait until this is done")
    check(
      .unfinished(work: "a migration of the store is under way"),
      "a migration of the store is under way. Open the store without sharing it, and wait until this is done")
    check(.packet(reason: "it is damaged"), "it is damaged")
  }

  func testTheReasonOfAProblemIsKept() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one", patience: 20_000_000)
    XCTAssertNil(one.sharing.problem)
    for _ in 0..<10_000 { one.connection.loseNextAnswer(.beforeAppending) }
    let context = RootContext(one.store)
    context.insert(Depot("Harbour"))
    do {
      try await context.save()
      XCTFail("There is no answer.")
    } catch SaveError.outcomeUnknown {}
    XCTAssertEqual(one.sharing.problem, "the shared log did not say whether it has the packet")
    await one.store.abandon()
  }

  func testALogThatNeverAnswersIsNamed() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one", patience: 20_000_000)
    one.connection.isSilent = true
    let context = RootContext(one.store)
    context.insert(Depot("Harbour"))
    do {
      try await context.save()
      XCTFail("There is no answer.")
    } catch SaveError.outcomeUnknown {}
    context.insert(Depot("Port"))
    do {
      try await context.save()
      XCTFail("There is no answer.")
    } catch SaveError.unavailable(let reason) {
      XCTAssertEqual(reason, "it did not answer in time")
    }
    one.connection.isSilent = false
    try await servers.end(one)
  }

  func testAStoreThatDoesNotShareHasNoPlace() async throws {
    let servers = try SharedStores(Self.schema)
    let store = try Store.openNow(servers.path("one"), for: Self.schema, SharedStores.options(nil))
    XCTAssertThrowsError(try Replica(store).place()) { error in
      XCTAssertTrue("\(error)".contains("the store has no place in a shared log"), "\(error)")
    }
    try await store.close()
  }

  func testAMigrationOfASharedStoreIsRefused() async throws {
    let servers = try SharedStores(Self.schema)
    try await servers.end(try await servers.open("one"))
    var options = SharedStores.options(SharedLog(servers.log.connection()))
    options.migration = MigrationPlan(Migration(to: 1, "Nothing"))
    XCTAssertThrowsError(try Store.openNow(servers.path("one"), for: Self.schema, options)) { error in
      guard case StoreError.system(_, let operation, _, let message) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(operation, "migrating a store that shares its log")
      XCTAssertEqual(
        message,
        "other machines may save with the former models meanwhile. Migrate the store before it is shared")
    }
  }

  func testASeedIsNotMadeOverAFolder() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one")
    let two = try await servers.open("two", from: one)
    do {
      try await StoreMaintenance.makeSeed(of: one.store, at: servers.path("two"))
      XCTFail("There is a store.")
    } catch StoreError.system(_, let operation, _, _) {
      XCTAssertEqual(operation, "naming the directory of a seed")
    }
    try await servers.end(one, two)
  }
}
