import RepriseTool
import XCTest

/// A progress line comes too early, is too long, or shows a wrong part.
final class ProgressLineTests: XCTestCase {
  func testAShortCallHasNoProgress() {
    let line = ProgressLine("Copying", columns: 80)
    XCTAssertNil(line.text(fraction: 0.5, seconds: 0.99))
    XCTAssertNotNil(line.text(fraction: 0.5, seconds: 1))
    let patient = ProgressLine("Copying", columns: 80, delay: 5)
    XCTAssertNil(patient.text(fraction: 0.5, seconds: 4.9))
    XCTAssertEqual(patient.text(fraction: nil, seconds: 5), "Copying, 5 s")
  }

  func testTheBarShowsTheFinishedPart() {
    let line = ProgressLine("Copying", columns: 80)
    for (fraction, seconds, text) in [
      (0, 1, "Copying [------------------------------]   0 %, 1 s"),
      (0.5, 59.9, "Copying [###############---------------]  50 %, 59 s"),
      (1, 3_725, "Copying [##############################] 100 %, 1:02:05"),
      (1.5, 61, "Copying [##############################] 100 %, 1:01"),
      (-1, 2, "Copying [------------------------------]   0 %, 2 s"),
    ] as [(Double, Double, String)] {
      XCTAssertEqual(line.text(fraction: fraction, seconds: seconds), text)
    }
  }

  func testAnUnknownPartHasOnlyTheTime() {
    XCTAssertEqual(ProgressLine("Verifying", columns: 80).text(fraction: nil, seconds: 12), "Verifying, 12 s")
    XCTAssertEqual(ProgressLine("Verifying", columns: 80).text(fraction: .nan, seconds: 12), "Verifying, 12 s")
  }

  func testALineFitsIntoTheTerminal() {
    for columns in 1..<90 {
      for fraction in [nil, 0.3] {
        let text = ProgressLine("Copying", columns: columns).text(fraction: fraction, seconds: 100) ?? ""
        XCTAssertLessThan(PlainText.width(text), max(2, columns), text)
      }
    }
  }
}
