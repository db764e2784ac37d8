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

  func testTheReasonOfAProblemIsKept() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one", patience: 20_000_000)
    XCTAssertNil(one.sharing.status.problem)
    for _ in 0..<10_000 { one.connection.loseNextAnswer(.beforeAppending) }
    let context = RootContext(one.store)
    context.insert(Depot("Harbour"))
    do {
      try await context.save()
      XCTFail("There is no answer.")
    } catch SaveError.outcomeUnknown {}
    XCTAssertEqual(one.sharing.status.problem, "the shared log did not say whether it has the packet")
    await one.store.abandon()
  }

  func testALogThatNeverAnswersIsNamed() async throws {
    let servers = try SharedStores(Self.schema)
    let one = try await servers.open("one", patience: 20_000_000)
    one.connection.holdsAnswers = true
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
    one.connection.holdsAnswers = false
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
    let log = SharedLog(servers.log.connection())
    do {
      _ = try await Store.open(
        servers.path("one"), for: Self.schema, sharing: log, migrations: MigrationPlan(Migration(to: 1, "Nothing")))
      XCTFail("It was migrated.")
    } catch StoreError.sharesLog {}
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
