import Foundation
import RepriseCore
import RepriseTestModels
import RepriseTestTool
import RepriseTool
import XCTest

/// A reversal shows other changes than it saves, or takes a later change away without an answer.
@MainActor
final class RevertPlanTests: XCTestCase {
  private var test: ToolStore!

  override func setUp() async throws { test = try await ToolStore() }

  override func tearDown() async throws { try await test.store.close() }

  private func text(_ plan: RevertPlan) throws -> String {
    try test.lines { try plan.preview().write(to: $0) }.joined(separator: "\n")
  }

  private func value(_ property: String, of name: String) throws -> PropertyValue {
    let context = RootContext(test.store)
    return try context.object(Places(test.store).object(test.id(name), in: context))[property]
  }

  private func refusal(_ plan: RevertPlan) async throws -> RevertPlanError? {
    do {
      _ = try await plan.save(as: plan.preview(), by: "eve")
      return nil
    } catch let error as RevertPlanError { return error }
  }

  func testAPreviewSavesNothing() async throws {
    XCTAssertEqual(
      try text(RevertPlan(of: 3, in: test.store)),
      """
      The reversal of @3 changes:
        ~ EVE
            last: "Jones" → "Smith"
      """)
    XCTAssertEqual(try test.store.log.headToken().position, 4)
    XCTAssertEqual(try value("last", of: "EVE"), .string("Jones"))
  }

  func testAReversalSavesWhatItShows() async throws {
    try await test.edit()
    let plan = RevertPlan(of: 3, in: test.store)
    let position = try await plan.save(as: plan.preview(), by: "eve")
    XCTAssertEqual(position, 5)
    XCTAssertEqual(try value("last", of: "EVE"), .string("Smith"))
    let saved = try XCTUnwrap(test.store.log.transaction(at: position))
    XCTAssertEqual(saved.author, "eve")
    XCTAssertEqual(saved.undoes, 3)
    XCTAssertEqual(
      try test.lines { try RevertText(position, undoes: 3).write(to: $0) }, ["Transaction @5 reverts @3."])
    XCTAssertEqual(
      try test.lines(.json) { try RevertText(position, undoes: 3).write(to: $0) }, [#"{"position":5,"undoes":3}"#])
    let refused = try await refusal(RevertPlan(of: 3, in: test.store))
    XCTAssertEqual(refused, .nothingLeft(3))
  }

  func testDeletedAndRestoredObjectsAreShown() async throws {
    XCTAssertEqual(
      try text(RevertPlan(of: 4, in: test.store)),
      """
      The reversal of @4 changes:
        + BOB
            first: "Bob"
            last: "Stone"
            arrival: 0
            departure: 0
            mood: "calm"
            fullName: "Bob Stone"
            hotel: HOTEL
      """)
    var plan = RevertPlan(of: 2, in: test.store)
    plan.answer = .mine
    let lines = try text(plan)
    XCTAssertTrue(lines.contains("  - EVE\n      first: \"Eve\"\n      last: \"Jones\""), lines)
    XCTAssertTrue(lines.contains("  - HOTEL\n      name: \"Grand\""), lines)
  }

  func testAConflictNeedsAnAnswer() async throws {
    try await test.edit()
    try await test.set("last", of: "EVE", to: .string("Miller"), by: "carl")
    var plan = RevertPlan(of: 3, in: test.store)
    let sentence =
      "EVE.last: transaction 3 changed it from \"Smith\" to \"Jones\", and a later change to \"Miller\" "
      + "(transaction 5)"
    let open = try text(plan)
    XCTAssertTrue(
      open.contains("Conflicts with later changes:\n  1. \(sentence). Open: add '--mine' or '--theirs'."), open)
    let preview = try plan.preview()
    XCTAssertEqual(preview.conflicts.map(\.transactions), [[5]])
    XCTAssertThrowsError(try preview.requireReady()) {
      XCTAssertEqual($0 as? RevertPlanError, .openConflicts(3, preview.conflicts.count))
    }
    let refused = try await refusal(plan)
    XCTAssertEqual(refused, .openConflicts(3, preview.conflicts.count))
    XCTAssertEqual(try value("last", of: "EVE"), .string("Miller"))
    plan.answer = .mine
    let answered = try text(plan)
    XCTAssertTrue(answered.contains("\(sentence). The earlier value returns."), answered)
    XCTAssertTrue(answered.contains("last: \"Miller\" → \"Smith\""), answered)
    try plan.preview().requireReady()
    _ = try await plan.save(as: plan.preview(), by: "eve")
    XCTAssertEqual(try value("last", of: "EVE"), .string("Smith"))
  }

  func testALaterChangeMayStay() async throws {
    try await test.edit()
    try await test.set("last", of: "EVE", to: .string("Miller"), by: "carl")
    var plan = RevertPlan(of: 3, in: test.store)
    for conflict in try plan.preview().conflicts { plan.answers[conflict.index] = .theirs }
    let preview = try plan.preview()
    XCTAssertEqual(Set(preview.conflicts.map(\.answer)), [.theirs])
    XCTAssertTrue(try text(plan).contains("The later change stays."))
    _ = try? await plan.save(as: plan.preview(), by: "eve")
    XCTAssertEqual(try value("last", of: "EVE"), .string("Miller"))
  }

  func testProgramsGetConflictsAsJSON() async throws {
    try await test.edit()
    try await test.set("last", of: "EVE", to: .string("Miller"), by: "carl")
    let lines = try test.lines(.json) { try RevertPlan(of: 3, in: test.store).preview().write(to: $0) }
    let value = try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any]
    XCTAssertEqual(value?["position"] as? Int, 3)
    let conflict = try XCTUnwrap((value?["conflicts"] as? [[String: Any]])?.first)
    XCTAssertEqual(conflict["property"] as? String, "last")
    XCTAssertEqual(conflict["base"] as? String, "Jones")
    XCTAssertEqual(conflict["mine"] as? String, "Smith")
    XCTAssertEqual(conflict["theirs"] as? String, "Miller")
    XCTAssertEqual(conflict["choices"] as? [String], ["mine", "theirs"])
    XCTAssertNil(conflict["answer"])
  }

  func testABrokenRuleIsNamed() async throws {
    try await test.asProgram { $0.insert(Guest("Bob", "Stone")) }
    let plan = RevertPlan(of: 4, in: test.store)
    let preview = try plan.preview()
    XCTAssertEqual(preview.violations.count, 1)
    XCTAssertEqual(preview.conflicts.count, 0)
    XCTAssertThrowsError(try preview.requireReady()) { XCTAssertEqual($0 as? RevertPlanError, .brokenRules(4, 1)) }
    let text = try text(plan)
    XCTAssertTrue(text.hasPrefix("Rules that the reversal would break:\n  BOB has fullName"), text)
    let refused = try await refusal(plan)
    XCTAssertEqual(refused, .brokenRules(4, 1))
  }

  func testAnUnknownTransactionIsNamed() async throws {
    XCTAssertThrowsError(try RevertPlan(of: 9, in: test.store).preview()) {
      guard case RevertError.notFound(9, head: 4) = $0 else { return XCTFail("\($0)") }
    }
    XCTAssertThrowsError(try RevertPlan(of: 1, in: test.store).preview()) {
      guard case RevertError.irreversible(1, .noChanges) = $0 else { return XCTFail("\($0)") }
    }
  }

  func testErrorsHaveTheNextStep() async throws {
    for (error, text) in [
      (
        RevertPlanError.openConflicts(3, 1),
        """
        Transaction 3 was not reverted, because later changes of 1 value or object conflict with the reversal. Restore \
        the earlier values with '--mine', or keep the later changes with '--theirs'.
        """
      ),
      (
        .outdated(3),
        """
        Transaction 3 was not reverted, because another save has changed the same objects meanwhile. Look at the \
        changes again.
        """
      ),
      (
        .openConflicts(3, 2),
        """
        Transaction 3 was not reverted, because later changes of 2 values or objects conflict with the reversal. \
        Restore the earlier values with '--mine', or keep the later changes with '--theirs'.
        """
      ),
      (
        .brokenRules(3, 1),
        """
        Transaction 3 was not reverted, because the reversal would break 1 rule. Change or delete the objects in the \
        way, then try again.
        """
      ),
      (
        .nothingLeft(3),
        """
        Transaction 3 was not reverted, because later changes replaced all of its changes. Revert a later transaction \
        instead.
        """
      ),
    ] {
      XCTAssertEqual("\(error)", text)
    }
    XCTAssertTrue("\(RevertPlanError.brokenRules(3, 2))".contains("2 rules"))
  }
}
