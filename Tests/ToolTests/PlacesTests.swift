import RepriseCore
import RepriseTestTool
import RepriseTool
import XCTest

/// The words of a command mean another object or moment than the user thinks.
@MainActor
final class PlacesTests: XCTestCase {
  private var test: ToolStore!
  private var places: Places { Places(test.store) }

  override func setUp() async throws { test = try await ToolStore() }

  override func tearDown() async throws { try await test.store.close() }

  func testAPositionMayBeANumberOrATime() async throws {
    for (text, position) in [
      ("@3", 3), ("@0", 0), ("head", 4), ("head~1", 3), ("head~4", 0), ("2023-11-14", 0), ("2023-11-15", 2),
      ("2023-11-15 22:13", 2), ("2023-11-15 22:13:20", 3), ("2023-11-15T22:13:20Z", 3), ("2023-11-15 22:13:19.9", 2),
      ("2030-01-01", 4), ("2000-02-29", 0),
    ] as [(String, Position)] {
      XCTAssertEqual(try places.position(text), position, text)
    }
    XCTAssertEqual(try places.lastPosition("2023-11-15"), 3)
    XCTAssertEqual(try places.firstPosition("2023-11-15"), 3)
    XCTAssertEqual(try places.firstPosition("2023-11-15 22:13:20"), 3)
    XCTAssertEqual(try places.firstPosition("@2"), 2)
  }

  func testAWrongPositionIsNamed() async throws {
    for text in [
      "", "@", "@x", "@-1", "head~", "head~x", "2023", "2023-13-01", "2023-02-29", "2023-11-15 24:00", "2023-11-15 1",
      "2023-11-15 10:00 UTC", "@99999999999999999999",
    ] {
      XCTAssertThrowsError(try places.position(text), text) { XCTAssertEqual($0 as? ToolError, .notAPosition(text)) }
    }
    for text in ["@5", "head~5"] {
      XCTAssertThrowsError(try places.position(text)) {
        XCTAssertEqual($0 as? ToolError, .noPosition(text, head: 4))
      }
    }
  }

  func testAnObjectMayBeWrittenInThreeWays() async throws {
    let context = RootContext(test.store)
    let id = try XCTUnwrap(AnyObjectID(test.id("EVE")))
    for text in ["\(id)", "guest/\(id.uuid)", try test.store.uri(for: id), "\(id.uuid)", "\(id.uuid)".uppercased()] {
      XCTAssertEqual(try places.object(text, in: context), id, text)
    }
    // A deleted object has a history.
    let bob = try XCTUnwrap(AnyObjectID(test.id("BOB")))
    XCTAssertEqual(try places.object("\(bob.uuid)", in: context), bob)
  }

  func testAWrongObjectIsNamed() async throws {
    let context = RootContext(test.store)
    let unknown = UniqueID().description
    for (text, error) in [
      ("Eve", ToolError.notAnObject("Eve")), (unknown, .noObject(unknown)),
      ("Ghost/\(unknown)", .noEntity("Ghost", known: ["Guest", "Hotel"])),
    ] {
      XCTAssertThrowsError(try places.object(text, in: context)) { XCTAssertEqual($0 as? ToolError, error) }
    }
  }

  func testAnEntityMayBeInOtherCase() async throws {
    XCTAssertEqual(try places.entity("guest").name, "Guest")
    XCTAssertThrowsError(try places.entity("Guests"))
  }

  func testErrorsHaveTheNextStep() async throws {
    for (error, text) in [
      (
        ToolError.notAnObject("a\u{1B}[2J"),
        "'a\\u{1b}[2J' is no object. Write 'Entity/UUID', a UUID, or a URI of the store."
      ),
      (.noObject("x"), "The store has no object x here. Look for its deletion with 'reprise history'."),
      (
        .notAPosition("soon"),
        """
        'soon' is no position. Write '@1234', 'head', 'head~3', or a date such as '2026-11-20' or \
        '2026-11-20 18:30' in UTC.
        """
      ),
      (
        .noPastObject("Note/x"), "The store has no object Note/x, and its log has no change of one. Check the ID."
      ),
      (
        .ambiguousObject("x", ["A/x", "B/x"]), "Several objects have the UUID x: A/x, B/x. Write one of these."
      ),
      (
        .nothingToErase("Note/x"), "The log has no past values of Note/x, so there is nothing to erase."
      ),
      (
        .cannotCopy(to: "/a"),
        "The copy cannot be made at /a. Check that its directory exists, and that you may write to it."
      ),
      (
        .copyExists(at: "/a"),
        "There are files at /a already. Name a directory that does not exist, or is empty."
      ),
      (.noPosition("@9", head: 4), "'@9' is not in the log, whose last position is 4."),
      (.noEntity("Ghost", known: ["A", "B"]), "The store has no entity 'Ghost'. It has: A, B."),
      (.noEntity("Ghost", known: []), "The store has no entity 'Ghost'. It has: none."),
      (
        .needsYes(question: "Revert?"),
        "Revert? Nobody could answer, so nothing was changed. Add '--yes' to the command to make the change."
      ),
      (.declined, "Nothing was changed."), (.interrupted(copy: nil), "The command was interrupted."),
      (
        .interrupted(copy: "/a"),
        "The command was interrupted. Remove the unfinished copy /a before you try again."
      ),
    ] {
      XCTAssertEqual("\(error)", text)
    }
  }
}
