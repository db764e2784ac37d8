import Foundation
import XCTest

@testable import LatencyRunner

final class ComparisonTests: XCTestCase {
  private func run(_ own: Double, _ other: Double, of name: String = "restore.cold.10k") -> Baseline {
    Baseline([.of(name, .reprise, [own]), .of(name, .grdb, [other])], profile: .quick)
  }

  func testAMachineThatIsTwiceAsFastChangesNothing() {
    let comparison = Comparison(run(10, 30), against: run(20, 60), tolerance: 1.3)
    XCTAssertEqual(comparison.lines.map(\.change), [1])
    XCTAssertTrue(comparison.worse.isEmpty)
  }

  func testARatioThatGrewByMoreThanTheToleranceIsWorse() {
    XCTAssertEqual(Comparison(run(14, 30), against: run(10, 30), tolerance: 1.3).worse.count, 1)
    XCTAssertEqual(Comparison(run(12, 30), against: run(10, 30), tolerance: 1.3).worse.count, 0)
    XCTAssertEqual(Comparison(run(5, 30), against: run(10, 30), tolerance: 1.3).worse.count, 0)
  }

  func testOfARateMoreIsBetter() {
    let name = "save.eight"
    XCTAssertEqual(
      Comparison(run(5, 30, of: name), against: run(10, 30, of: name), tolerance: 1.3).worse.map(\.change), [2])
    XCTAssertTrue(
      Comparison(run(20, 30, of: name), against: run(10, 30, of: name), tolerance: 1.3).worse.isEmpty)
  }

  func testWhatIsCountedMayHardlyGrow() {
    let name = "save.one.bytes"
    XCTAssertEqual(Comparison(run(12, 30, of: name), against: run(10, 30, of: name), tolerance: 1.5).worse.count, 1)
    XCTAssertEqual(Comparison(run(10.5, 30, of: name), against: run(10, 30, of: name), tolerance: 1.5).worse.count, 0)
  }

  func testAPeerThatDoesNextToNothingIsNotHeldAgainst() {
    XCTAssertTrue(Comparison(run(60, 1), against: run(30, 1), tolerance: 1.3).lines.isEmpty)
    // A ratio that has become so large is the library's doing.
    XCTAssertEqual(Comparison(run(30, 1), against: run(10, 1), tolerance: 1.3).worse.count, 1)
  }

  func testRowsThatOneRunLacksAreLeftOut() {
    XCTAssertTrue(Comparison(run(1, 1, of: "rebuild"), against: run(1, 1), tolerance: 1.3).lines.isEmpty)
  }

  func testABaselineComesBackFromItsFile() throws {
    let baseline = run(3_284.1234, 12_842)
    let file = NSTemporaryDirectory() + "baseline-\(getpid()).json"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try baseline.write(to: file)
    XCTAssertEqual(try Baseline(file: file), baseline)
    XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count, 7)
  }

  func testTheReportNamesWhatIsWorse() {
    let lines = ComparisonReport.lines(Comparison(run(14, 30), against: run(10, 30), tolerance: 1.3))
    XCTAssertTrue(lines[0].contains("1.30×"), lines[0])
    XCTAssertTrue(lines[1].hasPrefix("WORSE  restore.cold.10k "), lines[1])
    XCTAssertEqual(lines.last, "1 ratios, 1 worse")
  }
}
