import XCTest

/// Each budget against the checkout, and against a made-up file that exceeds it.
final class BudgetTests: XCTestCase {
  private func source(_ text: String, path: String = "Sources/Query/A.swift") -> SourceFile {
    SourceFile(path: path, text: text)
  }

  func testNoFileOfTheSourcesIsTooLong() throws {
    let files = try Checkout.files(under: "Sources")
    expectNone(files.flatMap { Budgets.tooLong($0) })
    XCTAssertEqual(Budgets.needless(Budgets.longFiles, among: files), [], "take these out of Budgets.longFiles")
  }

  func testAFileThatIsTooLongIsFound() {
    func file(_ lines: Int) -> SourceFile { source(String(repeating: "a\n", count: lines)) }
    XCTAssertEqual(Budgets.tooLong(file(300)), [])
    XCTAssertEqual(Budgets.tooLong(file(301)).map(\.line), [301])
    let longFiles = ["Sources/Query/A.swift": 310]
    XCTAssertEqual(Budgets.tooLong(file(310), longFiles), [])
    XCTAssertEqual(Budgets.tooLong(file(311), longFiles).map(\.line), [311])
    XCTAssertEqual(Budgets.needless(longFiles, among: [file(301)]), [])
    for files in [[], [file(300)]] {
      XCTAssertEqual(Budgets.needless(longFiles, among: files), ["Sources/Query/A.swift"])
    }
  }

  func testFewerTestFilesImportInternals() throws {
    let count = try Checkout.files(under: "Tests").count(where: Budgets.importsInternals)
    XCTAssertLessThanOrEqual(count, Budgets.testableFiles, "import without @testable: package declarations suffice")
    XCTAssertGreaterThanOrEqual(count, Budgets.testableFiles, "lower Budgets.testableFiles to \(count)")
  }

  func testAnImportOfInternalsIsFound() {
    XCTAssertTrue(Budgets.importsInternals(source("import XCTest\n\n@testable import RepriseQuery\n")))
    for text in ["import RepriseQuery", "// @testable import A", "let a = \"\"\"\n@testable import A\n\"\"\""] {
      XCTAssertFalse(Budgets.importsInternals(source(text)), text)
    }
  }
}
