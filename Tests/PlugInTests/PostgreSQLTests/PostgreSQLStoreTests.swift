import Foundation
import RepriseCore
import ReprisePostgreSQL
import RepriseSharing
import RepriseTesting
import Songs
import Synchronization
import XCTest

/// Stores that share their log over PostgreSQL lose a save, or differ.
@MainActor final class PostgreSQLStoreTests: XCTestCase {
  private let folder = NSTemporaryDirectory() + "reprise-servers-\(UUID().uuidString)"

  override func setUp() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try FileManager.default.removeItem(atPath: folder) }

  private func open(_ name: String, _ log: PostgreSQLLog, patience: Duration = .seconds(30)) async throws -> Store {
    try await Store.open("\(folder)/\(name)", for: Song.self, sharing: SharedLog(log, patience: patience))
  }

  private func titles(_ store: Store) async throws -> [String] {
    try await store.read { try $0.fetch(Fetch<Song>()).map(\.title) }.sorted()
  }

  /// Opens the first server, and others with seeds of it.
  private func open(_ count: Int, _ makeLog: () -> PostgreSQLLog) async throws -> [Store] {
    var stores = [try await open("0", makeLog())]
    for number in 1..<count {
      try await StoreMaintenance.makeSeed(of: stores[0], at: "\(folder)/\(number)")
      stores.append(try await open("\(number)", makeLog()))
    }
    return stores
  }

  /// Returns when all stores have the same transactions.
  private func waitForEachOther(_ stores: [Store]) async throws {
    while Set(try stores.map { try $0.log.head }).count > 1 {
      for store in stores { if let failure = store.sharing?.status.failure { throw failure } }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func testTheLogInPostgreSQLKeepsAllPromises() async throws {
    // Only the interruption uses it, and only one thread at a time.
    nonisolated(unsafe) let server = try LogServer()
    try server.initialise()
    try server.start()
    let connection = server.connection
    let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'reprise'"
    try await LogTransportConformance {
      for _ in 0..<5 {
        try server.execute(terminate)
        try await Task.sleep(for: .milliseconds(20))
      }
    } makeTransport: {
      PostgreSQLLog(connection, replication: .unreplicated)
    }.run()
  }

  func testASaveReachesTheListsOfOtherServers() async throws {
    let server = try LogServer()
    try server.initialise()
    try server.start()
    let stores = try await open(2) { PostgreSQLLog(server.connection, replication: .unreplicated) }
    let list = try FetchedList(Fetch<Song>().sorted { $0.title }, in: stores[1].mainContext)
    for number in 0..<20 {
      _ = try await stores[0].write { context in _ = context.insert(Song(title: "Song \(number)")) }
    }
    while list.count < 20 { try await Task.sleep(for: .milliseconds(5)) }
    let status = try XCTUnwrap(stores[1].sharing?.status)
    XCTAssertNil(status.problem)
    XCTAssertTrue(status.isFollower)
    XCTAssertGreaterThanOrEqual(status.followed, 1)
    for store in stores { try await store.close() }
  }

  func testStoresLoseNoSaveWithTheirPrimary() async throws {
    let pair = try LogPair()
    let stores = try await open(3) { pair.makeLog() }
    let writers = stores.enumerated().map { Writer($1, name: "server \($0)") }
    let tasks = writers.map { writer in Task { try await writer.run() } }
    func wait(for count: Int) async throws {
      while let slow = writers.first(where: { $0.saved.count < count }) {
        if let failure = slow.store.sharing?.status.failure { throw failure }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    try await wait(for: 30)
    pair.primary.kill()
    try pair.promote()
    try pair.rebuild()
    try await wait(for: 60)
    for writer in writers { writer.stop() }
    for task in tasks { try await task.value }
    try await waitForEachOther(stores)

    var expected = Set(writers.flatMap(\.saved))
    for writer in writers {
      for (title, transaction) in writer.undecided {
        if try await stores[0].log.position(ofTransaction: transaction) != nil { expected.insert(title) }
      }
    }
    for store in stores {
      let found = try await titles(store)
      XCTAssertEqual(found, expected.sorted())
      let report = try await StoreMaintenance.verify(store)
      XCTAssertTrue(report.isSound, "\(report)")
    }
    for store in stores { try await store.close() }
  }
}

/// A server that saves without pause.
private final class Writer: Sendable {
  private struct State {
    var saved: [String] = []
    var undecided: [(title: String, transaction: UniqueID)] = []
    var isStopped = false
  }

  let store: Store
  private let name: String
  private let state = Mutex(State())

  init(_ store: Store, name: String) { (self.store, self.name) = (store, name) }

  var saved: [String] { state.withLock(\.saved) }
  var undecided: [(title: String, transaction: UniqueID)] { state.withLock(\.undecided) }
  func stop() { state.withLock { $0.isStopped = true } }

  func run() async throws {
    var number = 0
    while !state.withLock(\.isStopped) {
      let title = "\(name), \(number)"
      number += 1
      do {
        _ = try await store.write { context in _ = context.insert(Song(title: title)) }
        state.withLock { $0.saved.append(title) }
      } catch SaveError.unavailable {
      } catch SaveError.outcomeUnknown(let transaction) {
        state.withLock { $0.undecided.append((title, transaction)) }
      }
    }
  }
}
