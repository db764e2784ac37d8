import Foundation
import RepriseCore
import RepriseTool
import RepriseTestTool
import XCTest

/// A question names another loss than the store then has.
@MainActor
final class RemovalPlanTests: XCTestCase {
  private var test: ToolStore!

  override func setUp() async throws {
    test = try await ToolStore()
    try await test.edit()
  }

  override func tearDown() async throws { try? await test.store.close() }

  func testARetentionDeletesWhatItAnnounces() async throws {
    for (rule, count) in [
      (RetentionPlan.Rule.last(4), 0), (.last(1), 3), (.last(2), 2), (.last(0), 3), (.from(0), 0), (.from(1), 0),
      (.from(3), 2), (.from(4), 3), (.days(0), 3), (.days(36_500), 0),
    ] as [(RetentionPlan.Rule, UInt64)] {
      XCTAssertEqual(try RetentionPlan(rule, of: test.store).count, count, "\(rule)")
    }
    let plan = try RetentionPlan(.last(2), of: test.store)
    XCTAssertEqual(
      plan.question,
      """
      Delete up to 2 of 4 transactions, from @1 to @2? Nothing can restore their history. The objects keep their \
      present values.
      """)
    let report = try await test.store.log.retain(plan.retention)
    XCTAssertEqual(
      try test.lines { try RetentionText(report).write(to: $0) }, ["Deleted 2 transactions. The log begins at @3."])
    XCTAssertEqual(try RetentionPlan(.days(36_500), of: test.store).count, 0)
    let text = RetentionText(deleted: 1, 2, ["A context\u{1B} shows it.", "Use `Retention.from(_:)`."])
    XCTAssertEqual(
      try test.lines { try text.write(to: $0) },
      [
        "Deleted 1 transaction. The log begins at @2.", "Kept more: A context\\u{1b} shows it.",
        "Kept more: Use '--since'.",
      ])
    XCTAssertEqual(
      try test.lines(.json) { try RetentionText(deleted: 1, 2, ["a"]).write(to: $0) },
      [#"{"blockers":["a"],"deleted":1,"first":2}"#])
  }

  private func erasure(_ name: String, _ properties: [String] = []) throws -> ErasurePlan {
    let context = RootContext(test.store)
    return try ErasurePlan(of: Places(test.store).object(test.id(name), in: context), properties, in: context)
  }

  func testAnErasureNamesItsLoss() async throws {
    let (eve, bob) = (test.id("EVE"), test.id("BOB"))
    XCTAssertEqual(
      try erasure("EVE", ["last", "age"]).question,
      """
      Erase the past values of age, last of \(eve) from 2 transactions? Nothing can restore them. The present values \
      stay.
      """)
    XCTAssertEqual(
      try erasure("BOB").question,
      """
      Erase the past values of \(bob) from 2 transactions? Nothing can restore them. The object is deleted, so no \
      value stays.
      """)
    let plan = try erasure("BOB")
    try await test.store.close()
    let report = try await StoreMaintenance.erase([plan.erasure], in: test.path)
    let lines = try test.lines { try ErasureText(report).write(to: $0) }
    XCTAssertEqual(lines[0], "Erased values of 2 transactions.")
    XCTAssertEqual(
      try test.lines {
        try ErasureText(transactions: 1, discardedDrafts: ["a\u{1B}"], bytesBefore: 2_000, bytesAfter: 10).write(to: $0)
      },
      ["Erased values of 1 transaction.", "Discarded the draft 'a\\u{1b}'.", "2.0 KB before, 10 B after."])
  }

  func testRepairsAreReported() async throws {
    try await test.store.close()
    let rebuilt = try await StoreMaintenance.rebuild(test.path)
    XCTAssertEqual(
      try test.lines { try RebuildText(rebuilt).write(to: $0) }.map { $0.prefix(18) }, ["Rebuilt 2 objects "])
    let json = try test.lines(.json) { try RebuildText(rebuilt).write(to: $0) }
    XCTAssertTrue(json[0].contains(#""lostTransactions":0,"objects":2,"transactions":4"#), json[0])
    let copy = test.path + "-salvaged"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let salvaged = try await StoreMaintenance.salvage(test.path, to: copy)
    XCTAssertEqual(
      try test.lines { try SalvageText(salvaged).write(to: $0) }.map { $0.prefix(24) }, ["Salvaged 4 transactions,"])
    let value = try test.lines(.json) { try SalvageText(salvaged).write(to: $0) }
    XCTAssertTrue(value[0].hasPrefix(#"{"isComplete":true,"objects":2,"#), value[0])
  }
}
