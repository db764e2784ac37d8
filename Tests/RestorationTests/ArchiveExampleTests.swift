import Foundation
import XCTest

@testable import RepriseRestoration

/// The store of Docs/FileFormat/example.md is made by tests of a lower module, which write the states of screens
/// themselves.
final class ArchiveExampleTests: XCTestCase {
  func testTheFormatExampleHasStatesAsAnArchiveWritesThem() throws {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Docs/FileFormat/example.md")
    let page = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    // Each line has bytes from column 7 on, and words after two spaces.
    let digits = page.split(separator: "\n").map { $0.dropFirst(7) }
      .map { $0[..<($0.range(of: "  ")?.lowerBound ?? $0.endIndex)].filter { $0 != " " } }.joined()
    var info = ArchiveInfo()
    (info.appVersion, info.systemVersion, info.savedAt) = ("1.0", "Linux 6.8.0", 1_767_225_780_000_000)
    let state = try StateValue.keyed(["row": .integer(2)]).encoded()
    let screen = ArchiveRecord(name: "list", kind: "list", order: 1, state: state[...])
    for bytes in [info.encoded(), screen.encoded()] {
      let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      XCTAssertTrue(digits.contains(hex), "the page must have the state \(hex)")
    }
  }
}
