import RepriseCore
import RepriseTestTool
import RepriseTool
import XCTest

/// A draft is saved over a later save, or cannot be saved.
@MainActor
final class DraftPlanTests: XCTestCase {
  private var test: ToolStore!

  override func setUp() async throws {
    test = try await ToolStore()
    try await test.edit()
    let context = try RootContext(test.store, author: "cyd", draft: "editor")
    let eve = try context.object(Places(test.store).object(test.id("EVE"), in: context))
    try eve.set("first", to: .string("Eva"))
    try eve.set("age", to: .int(31))
    try await test.store.flush()
    try await test.edit()
  }

  override func tearDown() async throws { try await test.store.close() }

  private func value(_ property: String) throws -> PropertyValue {
    let context = RootContext(test.store)
    return try context.object(Places(test.store).object(test.id("EVE"), in: context))[property]
  }

  func testADraftWithoutConflictsAsksForAnAnswer() async throws {
    try await test.set("last", of: "EVE", to: .string("Miller"), by: "bob")
    let plan = try DraftPlan("editor", of: test.store)
    let lines = try test.lines { try plan.write(to: $0) }
    XCTAssertFalse(lines.contains { $0.contains("Conflicts") }, "\(lines)")
    try plan.requireReady()
    let position = try await plan.save(as: "Save it")
    XCTAssertEqual(position, test.store.log.head)
    XCTAssertEqual(try [value("first"), value("last"), value("age")], [.string("Eva"), .string("Miller"), .int(31)])
  }

  func testAConflictIsSavedWithoutAnAnswer() async throws {
    try await test.set("first", of: "EVE", to: .string("Evelyn"), by: "bob")
    let open = try DraftPlan("editor", of: test.store)
    let lines = try test.lines { try open.write(to: $0) }
    XCTAssertEqual(
      Array(lines.suffix(2)),
      [
        "Conflicts with later saves:",
        #"  1. EVE.first: was "Eve", mine "Eva", theirs "Evelyn". Open: add '--mine' or '--theirs'."#,
      ])
    let message =
      "The draft 'editor' was not saved, because later saves changed 1 value or object of the draft. Save the values "
      + "of the draft with '--mine', or keep the later ones with '--theirs'."
    XCTAssertThrowsError(try open.requireReady()) { XCTAssertEqual("\($0)", message) }
    do {
      _ = try await open.save(as: "Save it")
      XCTFail("The draft has a conflict.")
    } catch { XCTAssertEqual("\(error)", message) }
    XCTAssertEqual(try value("first"), .string("Evelyn"))
    XCTAssertEqual(
      "\(ToolError.draftConflicts("a", count: 2))",
      "The draft 'a' was not saved, because later saves changed 2 values or objects of the draft. Save the values of "
        + "the draft with '--mine', or keep the later ones with '--theirs'.")
  }

  func testAnAnswerIsIgnored() async throws {
    for (answer, first, text) in [
      (DraftPlan.Answer.theirs, "Evelyn", "The later save wins."), (.mine, "Eva", "The draft wins."),
    ] {
      try await setUp()
      try await test.set("first", of: "EVE", to: .string("Evelyn"), by: "bob")
      let plan = try DraftPlan("editor", of: test.store, answer)
      let lines = try test.lines { try plan.write(to: $0) }
      XCTAssertEqual(lines.last, #"  1. EVE.first: was "Eve", mine "Eva", theirs "Evelyn". "# + text)
      let json = try test.lines(.json) { try plan.write(to: $0) }
      XCTAssertEqual(
        json.last,
        #"{"answer":"\#(answer.rawValue)","base":"Eve","mine":"Eva","object":"EVE","property":"first","#
          + #""sentence":"EVE.first: was \"Eve\", mine \"Eva\", theirs \"Evelyn\"","theirs":"Evelyn"}"#)
      try plan.requireReady()
      let position = try await plan.save(as: "Save it")
      XCTAssertEqual(position, test.store.log.head)
      XCTAssertEqual(try [value("first"), value("age")], [.string(first), .int(31)])
      XCTAssertEqual(try test.store.drafts.all().count, 0)
      if answer == .theirs { try await test.store.close() }
    }
  }
}
