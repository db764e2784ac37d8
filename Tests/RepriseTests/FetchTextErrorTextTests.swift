import Reprise
import RepriseDynamic
import XCTest

/// A message without its place and the next step leaves the writer of a text behind.
final class FetchTextErrorTextTests: ErrorTextTestCase {
  private let place = TextPlace(utf8Offset: 11, line: 1, column: 12)

  /// Not what alerts show: these errors need no Foundation.
  private func check(_ error: FetchTextError, _ text: String, line: UInt = #line) {
    XCTAssertEqual(error.place, place, line: line)
    check("\(error)", text, named: Mirror(reflecting: error).children.first?.label, line: line)
  }

  func testFetchTextErrors() throws {
    check(
      FetchTextError.unexpected(found: "'und'", expected: "an operator or the end", at: place),
      "Line 1, column 12: the text has 'und', but the grammar expects an operator or the end. Correct the text there.")
    check(
      FetchTextError.invalidLiteral("1e999", reason: "it does not fit into 64 bits", at: place),
      "Line 1, column 12: '1e999' is not valid: it does not fit into 64 bits. Correct it.")
    check(
      FetchTextError.unknownEntity("Ntoe", suggestion: "Note", at: place),
      "Line 1, column 12: there is no model 'Ntoe'. Did you mean 'Note'? Correct the name.")
    check(
      FetchTextError.unknownEntity("Ship", suggestion: nil, at: place),
      "Line 1, column 12: there is no model 'Ship'. Correct the name, or open the store with that model.")
    check(
      FetchTextError.unknownProperty("stras", entity: "Note", suggestion: "stars", at: place),
      "Line 1, column 12: Note has no property 'stras'. Did you mean 'stars'? Correct the name.")
    check(
      FetchTextError.unknownProperty("wings", entity: "Note", suggestion: nil, at: place),
      "Line 1, column 12: Note has no property 'wings'. Use one of the properties that its `entity` lists.")
    check(
      FetchTextError.wrongProperty("tags", entity: "Note", expected: "a to-one relationship", at: place),
      """
      Line 1, column 12: Note.tags is not a to-one relationship. Name another property, or use `any`, `all` or `count` \
      for the members of a to-many relationship.
      """)
    check(
      FetchTextError.wrongType(expected: "an integer", found: "a text", at: place),
      """
      Line 1, column 12: the value must be an integer, but is a text. Correct the value, or name another property.
      """)
    try assertEveryCaseWasChecked(of: "FetchTextError")
  }
}
