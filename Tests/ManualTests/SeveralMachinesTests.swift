#if Macros
import Foundation
import Reprise
import RepriseSharing
import RepriseTesting
import XCTest

/// The programs of the article "One graph on several machines".
@MainActor final class SeveralMachinesTests: XCTestCase {
  private let folder = NSTemporaryDirectory() + "reprise-machines-\(UUID().uuidString)"
  private var path: String { folder + "/second" }

  override func setUp() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try FileManager.default.removeItem(atPath: folder) }

  func open(_ path: String, over transport: some LogTransport) async throws -> Store {
    try await Store.open(
      path, for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self, sharing: SharedLog(transport))
  }

  func testASecondServerHasTheGraph() async throws {
    let log = MemoryLog()
    let first = try await open(folder + "/first", over: log.connection())
    first.mainContext.insert(Book("The Dispossessed", year: 1974))
    try await first.mainContext.save()
    let transport = log.connection()
    let head = first.mainContext.position

    try await StoreMaintenance.makeSeed(of: first, at: path)
    let second = try await open(path, over: transport)
    let context = second.mainContext
    try context.object(try XCTUnwrap(context.first(Fetch<Book>())).id).year = 1975
    try await context.save()
    XCTAssertEqual(context.position, head + 1)
    XCTAssertEqual(status(of: second), "following")
    try await second.close()
    try await first.close()
  }

  func testAStoppedServerTakesASeed() async throws {
    let log = MemoryLog()
    let first = try await open(folder + "/first", over: log.connection())
    try await StoreMaintenance.makeSeed(of: first, at: path)
    first.mainContext.insert(Book("The Dispossessed", year: 1974))
    try await first.mainContext.save()
    let seed = folder + "/seed"
    try await StoreMaintenance.makeSeed(of: first, at: seed)

    try await StoreMaintenance.reseed(path, from: seed)
    let second = try await open(path, over: log.connection())
    XCTAssertEqual(try second.mainContext.count(Fetch<Book>()), 1)
    try await second.close()
    try await first.close()
  }

  private func status(of store: Store) -> String {
    guard let status = store.sharing?.status else { return "alone" }
    if let failure = status.failure { return "stopped: \(failure)" }
    if let problem = status.problem { return "trying again: \(problem)" }
    return "following"
  }

  func testASaveWithoutTheSharedLog() async throws {
    let log = MemoryLog()
    let connection = log.connection()
    let store = try await open(path, over: connection)
    connection.isConnected = false
    let context = store.mainContext
    context.insert(Book("Invisible Cities", year: 1972))
    Task {
      try await Task.sleep(for: .milliseconds(20))
      connection.isConnected = true
    }
    var undecided: UniqueID?

    do {
      try await context.save("Rename a book")
    } catch SaveError.unavailable {
      // Nothing was saved, and the changes are still in the context.
    } catch SaveError.outcomeUnknown(let transaction) {
      // The shared log may have the save.
      undecided = transaction
    }
    XCTAssertNil(undecided)
    XCTAssertEqual(try context.count(Fetch<Book>()), 1)
    try await store.close()
  }
}
#endif
