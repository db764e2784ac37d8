import Foundation
import Reprise
import XCTest

/// Compares the text of each case of an error in full, and finds cases without such a comparison.
class ErrorTextTestCase: XCTestCase {
  let path = "/data/notes.reprise"
  let note = AnyObjectID(EntityName("Note"), UniqueID(high: 1, low: 2))
  let writer = AnyObjectID(EntityName("Writer"), UniqueID(high: 3, low: 4))

  private var checked: Set<String> = []

  /// - Parameter name: The name of the case, if it has no values.
  func check(
    _ subject: some CustomStringConvertible, _ text: String, named name: String? = nil, line: UInt = #line
  ) {
    XCTAssertEqual(subject.description, text, line: line)
    // What alerts show.
    if let error = subject as? any RepriseError { XCTAssertEqual(error.localizedDescription, text, line: line) }
    XCTAssertTrue(text.hasSuffix("."), text, line: line)
    for flaw in ["..", "  ", ".,", "Optional(", ": 1 conflicts", "1 values", "1 rules"] {
      XCTAssertFalse(text.replacing("...", with: "…").contains(flaw), "'\(flaw)' in \(text)", line: line)
    }
    let name = name ?? Mirror(reflecting: subject).children.first?.label
    checked.insert(name ?? "a case without a name in line \(line)")
  }

  /// Fails if a case of an enum was not checked in this test.
  func assertEveryCaseWasChecked(of type: String, line: UInt = #line) throws {
    XCTAssertEqual(checked.symmetricDifference(try SourceEnums.cases(of: type)), [], type, line: line)
  }
}
