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

/// The enums in the library's sources.
enum SourceEnums {
  private static func lines(in folder: String) throws -> [[Substring]] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let files = try XCTUnwrap(
      FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil))
    return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }
  }

  static func errors() throws -> Set<String> {
    Set(
      try lines(in: "Sources").joined().compactMap { line in
        line.wholeMatch(of: /public enum (\w+): (?:RepriseError|Error)\b.*/).map { String($0.1) }
      })
  }

  static func cases(of type: String) throws -> Set<String> {
    let declaration = try Regex("(?:public|package) (?:indirect )?enum \(type)[: ].*")
    for lines in try lines(in: "Sources") {
      guard let start = lines.firstIndex(where: { $0.wholeMatch(of: declaration) != nil }) else { continue }
      return Set(
        lines[start...].prefix { $0 != "}" }.compactMap { line in
          line.prefixMatch(of: #/  (?:indirect )?case (\w+)/#).map { String($0.1) }
        })
    }
    XCTFail("no enum \(type) in the sources")
    return []
  }

  /// The enums whose texts the tests of this folder check.
  static func checked() throws -> Set<String> {
    Set(
      try lines(in: "Tests/RepriseTests").joined().compactMap { line in
        line.firstMatch(of: /assertEveryCaseWasChecked\(of: "(\w+)"\)/).map { String($0.1) }
      })
  }
}

final class ErrorTextCoverageTests: XCTestCase {
  func testTheTextOfEveryErrorIsChecked() throws {
    XCTAssertEqual(try SourceEnums.errors().subtracting(SourceEnums.checked()), [])
  }
}
