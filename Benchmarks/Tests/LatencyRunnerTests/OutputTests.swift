import XCTest

@testable import LatencyRunner

final class OutputTests: XCTestCase {
  func testNumbersForPeople() {
    XCTAssertEqual(Numbers.text(0.7124), "0.712")
    XCTAssertEqual(Numbers.text(3.456), "3.46")
    XCTAssertEqual(Numbers.text(12.84), "12.8")
    XCTAssertEqual(Numbers.text(5_411.2), "5,411")
    XCTAssertEqual(Numbers.text(1_234_567), "1,234,567")
    XCTAssertEqual(Numbers.text(2), "2")
    XCTAssertEqual(Numbers.factor(0.352), "0.35×")
    XCTAssertEqual(Numbers.factor(2.44), "2.4×")
    XCTAssertEqual(Numbers.factor(37.4), "37×")
    XCTAssertEqual(Numbers.fixed(-1.05, 1), "-1.1")
    XCTAssertEqual(Numbers.fixed(0.05, 2), "0.05")
  }

  func testTheTableSaysHowMuchMoreAPeerCosts() {
    let figures = [
      Figure.of("restore.cold.10k", .reprise, [3_000]), .of("restore.cold.10k", .grdb, [12_000]),
      .of("save.eight", .reprise, [6_000]), .of("save.eight", .grdb, [2_000]),
    ]
    XCTAssertEqual(Table.costAgainstReprise(figures[1], figures), 4)
    XCTAssertEqual(Table.costAgainstReprise(figures[3], figures), 3)
    XCTAssertEqual(
      Table.lines(figures),
      [
        "row               peer     unit   count     min  median     p99  vs reprise",
        "restore.cold.10k  reprise  us         1   3,000   3,000   3,000        1.0×",
        "restore.cold.10k  grdb     us         1  12,000  12,000  12,000        4.0×",
        "save.eight        reprise  per_s      1   6,000   6,000   6,000        1.0×",
        "save.eight        grdb     per_s      1   2,000   2,000   2,000        3.0×",
      ])
  }

  func testASkippedRowSaysWhy() {
    let skipped = Figure(row: .named("rebuild"), peer: .lmdb, outcome: .skipped(.missing("root")))
    XCTAssertTrue(Table.lines([skipped])[1].contains("skipped: needs root"))
  }

  func testADocumentKeepsItsProse() throws {
    let old = "# Title\n\(Document.begin)\n\nold\n\(Document.end)\nprose\n"
    let new = try Document.replace(in: old, with: "new\n")
    XCTAssertEqual(new, "# Title\n\(Document.begin)\n\nnew\n\n\(Document.end)\nprose\n")
    XCTAssertEqual(try Document.replace(in: new, with: "new\n"), new)
    XCTAssertThrowsError(try Document.replace(in: "# Title\n\(Document.end)\(Document.begin)", with: "new"))
  }

  func testADocumentHasARowForEachNameAndACellForEachPeer() {
    let figures = [
      Figure.of("read.byID", .reprise, [1], parts: ["hit": 0.2]), .of("read.byID", .grdb, [40]),
      Figure(row: .named("save.one"), peer: .reprise, outcome: .skipped(.failed("why"))),
    ]
    let section = Document(figures: figures, profile: .full, machine: ["one core"]).section(
      charts: ["a/b.svg"], raw: "a/c.jsonl")
    XCTAssertTrue(section.contains("- one core\n"), section)
    XCTAssertTrue(section.contains("| row | work, and its unit | reprise | grdb |\n"), section)
    XCTAssertTrue(section.contains("with all its attributes, µs | 1 | 40 (40×) |\n"), section)
    XCTAssertTrue(section.contains("µs | skipped: failed: why | – |\n"), section)
    XCTAssertTrue(
      section.contains("| `read.byID` | hit: an attribute of an object in memory | 0.200 | – | – | – | – |\n"), section)
    XCTAssertTrue(section.contains("![a/b.svg](a/b.svg)"), section)
  }
}
