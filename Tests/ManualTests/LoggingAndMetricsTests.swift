#if Macros
import Foundation
import Reprise
import XCTest

func logProblems(of store: Store, to logger: Logger) {
  for warning in store.warnings { logger.warning("\(warning)") }
  for problem in store.drafts.journalProblems { logger.error("\(problem)") }
  if let failure = store.drafts.failure { logger.error("\(failure)") }
  for index in store.unfinishedIndexes {
    logger.info("index \(index.index) of \(index.entity): \(Int(index.done * 100)) %")
  }
}

func countTransactions(of store: Store, after token: LogToken) async throws {
  let transactions = Counter(label: "reprise_transactions")
  let changes = Counter(label: "reprise_changes")
  for try await transaction in store.log.feed(after: token) {
    transactions.increment()
    changes.increment(by: transaction.changes.count)
  }
}

func recordSizes(of store: Store) throws {
  let file = try FileManager.default.attributesOfItem(atPath: store.path + "/data.mdb")
  Gauge(label: "reprise_file_bytes").record(file[.size] as? Int ?? 0)
  Gauge(label: "reprise_log_length").record(try store.log.firstPosition.distance(to: store.log.head) + 1)
  Gauge(label: "reprise_drafts").record(try store.drafts.all().count)
  Gauge(label: "reprise_unfinished_indexes").record(store.unfinishedIndexes.count)
}

private final class Screen {}

final class LoggingAndMetricsTests: ManualTestCase {
  func testASoundStoreLogsNoProblems() async throws {
    let store = try await makeStore()
    try await fill(store)
    let logger = Logger(label: "catalogue")
    logProblems(of: store, to: logger)
    XCTAssertEqual(logger.output, [])

    let report = try await StoreMaintenance.verify(store)
    if !report.isSound { logger.error("\(report)") }
    XCTAssertEqual(logger.output, [])
  }

  func testRestorationLogsAStateThatIsLost() async throws {
    let restoration = Restoration(try await makeStore())
    let logger = Logger(label: "catalogue")
    restoration.onProblem = { problem in logger.error("\(problem)") }

    var nodes: [RestorationNode<Int>] = []
    let kind = NodeKind<Int, Screen>("Screen")
    try restoration.define(kind) { node in
      nodes.append(node)
      return Screen()
    }
    try await restoration.restore()
    try restoration.open(kind, id: "screen", state: 1)
    nodes[0].close()
    nodes[0].state = 2
    await Task { @MainActor in }.value
    XCTAssertEqual(logger.output.count, 1, "\(logger.output)")
    withExtendedLifetime(restoration) {}
  }

  func testCountersAndGaugesFollowAStore() async throws {
    let store = try await makeStore()
    let start = try store.log.headToken()
    let books = try await fill(store)
    try await store.write { try $0.object(books[0].id).pages = 341 }
    metrics.withLock { $0 = [:] }
    let counting = Task { try await countTransactions(of: store, after: start) }
    while metrics.withLock({ $0["reprise_transactions"] }) != 2 { try await Task.sleep(for: .milliseconds(1)) }
    counting.cancel()
    try await counting.value
    XCTAssertEqual(metrics.withLock { $0["reprise_changes"] }, 6)

    try recordSizes(of: store)
    let values = metrics.withLock { $0 }
    XCTAssertEqual(values["reprise_log_length"], Double(try store.log.firstPosition.distance(to: store.log.head) + 1))
    XCTAssertEqual(values["reprise_drafts"], 0)
    XCTAssertEqual(values["reprise_unfinished_indexes"], 0)
    XCTAssertGreaterThan(values["reprise_file_bytes"] ?? 0, 0)
  }
}
#endif
