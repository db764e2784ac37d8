import XCTest

/// The records of decisions are numbered, and README.md lists them.
final class DecisionTests: XCTestCase {
  func testDecisionRecordsAreNumberedWithoutGaps() throws {
    let records = try Checkout.files(under: "Docs/Decisions", suffixes: [".md"]).map(\.name)
    let list = try Checkout.file("Docs/Decisions/README.md")
    XCTAssertGreaterThan(records.count, 100)
    XCTAssertEqual(Self.problems(records, list.lines.joined(separator: " ")), [])
  }

  func testAGapBetweenDecisionRecordsIsFound() {
    let list = "[0001](0001-a.md) [0002](0002-b.md) [0003](0003-c.md)"
    let records = ["0001-a.md", "0002-b.md", "0003-c.md"]
    XCTAssertEqual(Self.problems(records, list), [])
    XCTAssertEqual(Self.problems(["0001-a.md", "0003-c.md"], list), ["0002 is missing"])
    XCTAssertEqual(
      Self.problems(records + ["0003-d.md"], list), ["0003 is used 2 times", "0003-d.md is listed 0 times"])
    XCTAssertEqual(Self.problems(records, list + " [0001](0001-a.md)"), ["0001-a.md is listed 2 times"])
  }

  /// A record begins with "# 0001: Title" and "Status: Accepted.", and the list has both after the link.
  func testTheListHasTitleAndStatusOfEachRecord() throws {
    let list = try Checkout.file("Docs/Decisions/README.md").lines.map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: " ")
    for record in try Checkout.files(under: "Docs/Decisions", suffixes: [".md"]) where record.name != "README.md" {
      let title = record.lines[0].dropFirst("# 0001: ".count)
      let status = record.lines[2].replacing(#/\[(\d{4})\]\([^)]*\)/#) { $0.1 }
      let entry = list.components(separatedBy: "(\(record.name)): ").last ?? ""
      guard entry.hasPrefix("\(title). *"), let end = entry.dropFirst(title.count + 3).firstIndex(of: "*") else {
        XCTFail("Docs/Decisions/README.md: \(record.name) is not listed as '\(title).' with a status")
        continue
      }
      let listed = entry[entry.index(entry.startIndex, offsetBy: title.count + 3)..<end]
      let first = listed.split(separator: " and ").first ?? ""
      XCTAssertTrue(status.hasPrefix("Status: \(first)"), "\(record.name): \(status), and the list has \(listed)")
    }
  }

  private static func problems(_ files: [String], _ list: String) -> [String] {
    let records = files.filter { $0.first?.isNumber == true }
    let used = records.compactMap { Int($0.prefix(4)) }
    let numbers = (1...(used.max() ?? 1)).flatMap { number -> [String] in
      let name = String("000\(number)".suffix(4))
      switch used.count(where: { $0 == number }) {
      case 0: return ["\(name) is missing"]
      case 1: return []
      case let count: return ["\(name) is used \(count) times"]
      }
    }
    let listed = records.map { ($0, list.count(of: "(\($0))")) }.filter { $0.1 != 1 }
    return numbers + listed.map { "\($0.0) is listed \($0.1) times" }
  }
}
