import XCTest

final class GuaranteeTests: XCTestCase {
  func testEveryTestThatTheGuaranteesQuoteExists() throws {
    let declared = QuotedTests.declared(in: try Checkout.files(under: "Tests"))
    for path in ["Docs/Guarantees.md", "SECURITY.md"] where Checkout.exists(path) {
      let document = try Checkout.file(path)
      XCTAssertFalse(QuotedTests.quoted(in: document).isEmpty, "\(path) quotes no test")
      expectNone(QuotedTests.breaches(in: document, declared: declared))
    }
  }

  func testAQuoteOfATestThatIsGoneIsFound() {
    let document = SourceFile(
      path: "Docs/Guarantees.md",
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
