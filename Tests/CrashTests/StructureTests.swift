import XCTest

final class StructureTests: CrashTestCase {
  func testNoFlippedByteEndsAProcessThatAskedForTheCheckOrIsReadWithoutAWord() throws {
    let said = try play("structure", ["flips": "\(Self.flips)", "seed": "\(Self.seed)"]).last ?? ""
    // About 30 of 500, because most bytes are in values and after-images, whose content is not structure.
    XCTAssertGreaterThan(said.number(after: "found"), Self.flips / 50, said)
    XCTAssertGreaterThan(said.number(after: "sound"), Self.flips / 20, said)
    // A page has much, but what its rows say stands elsewhere too.
    XCTAssertGreaterThan(said.number(after: "whole"), said.number(after: "found") / 2, said)
  }

  /// The test above would notice a check that overlooks what is there: without it, such flips end the process.
  func testTheSameFlipsEndAProcessWhoseCheckOverlooksThem() throws {
    let values: KeyValuePairs = ["flips": "\(Self.flips)", "seed": "1", "overlooking": "all"]
    let child = try Child("structure", folder + "/store", values)
    let said = child.lines()
    let isNoticed = said.contains { $0.hasPrefix("problem ") }
    guard case .signalled = child.end() else { return XCTAssertTrue(isNoticed, "nothing happened") }
  }

  private static let flips = 500
}
