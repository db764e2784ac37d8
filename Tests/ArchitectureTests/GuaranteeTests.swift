import XCTest

final class GuaranteeTests: XCTestCase {
  func testEveryTestThatTheGuaranteesQuoteExists() throws {
    let declared = QuotedTests.declared(in: try Checkout.files(under: "Tests"))
    for path in ["Docs/Evidence.md", "Docs/RestorationBehaviours.md", "SECURITY.md"] where Checkout.exists(path) {
      let document = try Checkout.file(path)
      XCTAssertFalse(QuotedTests.quoted(in: document).isEmpty, "\(path) quotes no test")
      expectNone(QuotedTests.breaches(in: document, declared: declared))
    }
  }

  /// Guarantees.md numbers the promises, and Evidence.md has a row of tests for each number.
  func testEveryPromiseHasARowOfEvidence() throws {
    let guarantees = try Checkout.file("Docs/Guarantees.md")
    let promises = Self.numbers(in: guarantees)
    let rows = Self.numbers(in: try Checkout.file("Docs/Evidence.md"))
    XCTAssertGreaterThan(promises.count, 100)
    for numbers in [promises, rows] { XCTAssertEqual(Set(numbers).count, numbers.count, "a number occurs twice") }
    XCTAssertEqual(Set(promises).subtracting(rows).sorted(), [], "Evidence.md lacks these")
    XCTAssertEqual(Set(rows).subtracting(promises).sorted(), [], "Guarantees.md lacks these")
    XCTAssertEqual(QuotedTests.quoted(in: guarantees).map(\.name), [], "name these tests in Evidence.md")
  }

  func testTheNumberOfAPromiseIsItsFirstCell() {
    let text = "| no. | a |\n|---|---|\n| K1 | see K2 |\n| K10 | b |\n| **K3** | K4 |\nK5"
    let document = SourceFile(path: "a.md", text: text)
    XCTAssertEqual(Self.numbers(in: document), ["K1", "K10"])
  }

  /// The first cells of rows that are a capital letter and digits.
  private static func numbers(in document: SourceFile) -> [String] {
    document.lines.compactMap { line -> String? in
      guard line.hasPrefix("| ") else { return nil }
      let cell = line.dropFirst(2).prefix { $0 != " " }
      guard let letter = cell.first, letter.isUppercase, cell.count > 1 else { return nil }
      return cell.dropFirst().allSatisfy { $0.isNumber } ? String(cell) : nil
    }
  }

  func testAQuoteOfATestThatIsGoneIsFound() {
    let document = SourceFile(
      path: "Docs/Evidence.md",
      text: "A kill loses nothing: `testKill`, `CrashTests.testPowerCut()`.\nSee `test`, `testdata`, `testGone`.")
    XCTAssertEqual(QuotedTests.quoted(in: document).map(\.name), ["testKill", "testPowerCut", "testGone"])
    let tests = SourceFile(
      path: "Tests/CrashTests/A.swift",
      text: "func testKill() {}\n  @MainActor func testPowerCut() async throws {\n// func testGone() {}")
    let declared = QuotedTests.declared(in: [tests])
    XCTAssertEqual(declared, ["testKill", "testPowerCut"])
    XCTAssertEqual(QuotedTests.breaches(in: document, declared: declared).map(\.line), [2])
  }
}
