import Foundation
import XCTest

@testable import LatencyRunner

final class JSONLineTests: XCTestCase {
  func testAMeasuredFigure() {
    let figure = Figure.of("restore.cold.10k", .repriseCore, [1_204.5, 1_300, 1_206.1234])
    XCTAssertEqual(
      JSONLine.text(figure),
      #"{"name": "restore.cold.10k", "peer": "reprise-core", "unit": "us", "count": 3, "min": 1204.5, "#
        + #""median": 1206.123, "p99": 1300}"#)
  }

  func testAFigureThatIsMissing() {
    let figure = Figure(row: .named("save.one.flushes"), peer: .grdb, outcome: .skipped(.missing("strace")))
    XCTAssertEqual(
      JSONLine.text(figure), #"{"name": "save.one.flushes", "peer": "grdb", "skipped": "needs strace"}"#)
  }

  func testAnyReasonIsAString() throws {
    let reason = "he said \"no\" \\ twice\n\u{1}\tünder protest"
    let figure = Figure(row: .named("rebuild"), peer: .lmdb, outcome: .skipped(.failed(reason)))
    let line = JSONLine.text(figure)
    XCTAssertFalse(line.contains("\n"))
    let read = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    XCTAssertEqual(read["skipped"], "failed: " + reason)
  }

  func testNumbersHaveThreeDecimalsAtMost() {
    XCTAssertEqual(JSONLine.number(0.7124), "0.712")
    XCTAssertEqual(JSONLine.number(2), "2")
    XCTAssertEqual(JSONLine.number(12_345_678.9), "12345678.9")
  }
}
