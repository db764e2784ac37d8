import Foundation
import RepriseCore
import RepriseDynamic
import RepriseTestTool
import RepriseTool
import XCTest

/// A list of transactions that goes on loses one, or does not end.
@MainActor
final class FollowTests: XCTestCase {
  private var test: ToolStore!

  override func setUp() async throws {
    test = try await ToolStore()
    try await test.edit()
  }

  override func tearDown() async throws { try await test.store.close() }

  /// The positions in the flushed lines of a report that goes on until they are enough.
  private func follow(_ report: LogReport, until count: Int, _ saves: () async throws -> Void) async throws -> [String]
  {
    let (parts, continuation) = AsyncStream<[String]>.makeStream()
    let store = test.store!
    let task = Task { @MainActor in
      var lines: [String] = []
      let output = Output(.text(Style())) {
        continuation.yield(lines)
        lines = []
      } _: {
        lines.append($0)
      }
      try await report.follow(store, to: output)
      continuation.finish()
      return lines
    }
    var found: [String] = []
    var iterator = parts.makeAsyncIterator()
    // The report has the head now.
    found += await iterator.next() ?? []
    try await saves()
    while found.count < count, let part = await iterator.next() { found += part }
    task.cancel()
    let rest = try await task.value
    XCTAssertEqual(rest, [])
    return found.map { String($0.prefix { $0 != " " }) }
  }

  func testEachSaveIsShownOnceAndInOrder() async throws {
    var report = LogReport()
    report.limit = 2
    let found = try await follow(report, until: 4) {
      try await test.set("last", of: "EVE", to: .string("One"), by: "ada")
      try await test.set("last", of: "EVE", to: .string("Two"), by: "ada")
    }
    XCTAssertEqual(found, ["@3", "@4", "@5", "@6"])
  }

  func testOnlyWantedSavesAreShown() async throws {
    var report = LogReport()
    report.limit = 0
    report.author = "carl"
    report.entity = "Guest"
    let found = try await follow(report, until: 1) {
      try await test.set("last", of: "EVE", to: .string("One"), by: "ada")
      try await test.set("name", of: "HOTEL", to: .string("Small"), by: "carl")
      try await test.set("last", of: "EVE", to: .string("Two"), by: "carl")
    }
    XCTAssertEqual(found, ["@7"])
  }

  func testATitleNeedsOnlyOneChange() async throws {
    let brief = try XCTUnwrap(
      test.store.log.transaction(at: 2, matching: TransactionFilter(), firstChangeOnly: true))
    let whole = try XCTUnwrap(test.store.log.transaction(at: 2))
    XCTAssertEqual(brief.changes, [whole.changes[0]])
    XCTAssertEqual(whole.changes.count, 3)
    let hotels = TransactionFilter(entities: ["Hotel"])
    XCTAssertEqual(
      try test.store.log.transaction(at: 2, matching: hotels, firstChangeOnly: true)?.changes.map(\.object.entity),
      ["Hotel"])
    XCTAssertNil(try test.store.log.transaction(at: 3, matching: hotels, firstChangeOnly: true))
  }
}
