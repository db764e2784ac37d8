import XCTest

/// Each budget against the checkout, and against a made-up file that exceeds it.
final class BudgetTests: XCTestCase {
  private func source(_ text: String, path: String = "Sources/Query/A.swift") -> SourceFile {
    SourceFile(path: path, text: text)
  }

  func testNoFileOfTheSourcesIsTooLong() throws {
    expectNone(try Checkout.files(under: "Sources").flatMap(Budgets.tooLong))
  }

  func testAFileThatIsTooLongIsFound() {
    func file(_ lines: Int) -> SourceFile { source(String(repeating: "a\n", count: lines)) }
    XCTAssertEqual(Budgets.tooLong(file(300)), [])
    XCTAssertEqual(Budgets.tooLong(file(301)).map(\.line), [301])
  }

  func testFewerTestFilesImportInternals() throws {
    let count = try Checkout.files(under: "Tests").count(where: Budgets.importsInternals)
    XCTAssertLessThanOrEqual(count, Budgets.testableFiles, "import without @testable: package declarations suffice")
    XCTAssertGreaterThanOrEqual(count, Budgets.testableFiles, "lower Budgets.testableFiles to \(count)")
  }

  func testFewerTestsDeclareTheirOwnModels() throws {
    let count = try Checkout.files(under: "Tests").map(Budgets.declaredModels).reduce(0, +)
    XCTAssertLessThanOrEqual(count, Budgets.ownModels, "use a model of Tests/Support/Models")
    XCTAssertGreaterThanOrEqual(count, Budgets.ownModels, "lower Budgets.ownModels to \(count)")
  }

  func testFewerNamesOfTestsAreLong() throws {
    let names = QuotedTests.declared(in: try Checkout.files(under: "Tests"))
    let count = names.count { $0.count > Budgets.letters }
    XCTAssertLessThanOrEqual(count, Budgets.longTestNames, "name new tests in \(Budgets.letters) letters at most")
    XCTAssertGreaterThanOrEqual(count, Budgets.longTestNames, "lower Budgets.longTestNames to \(count)")
  }

  func testAnImportOfInternalsIsFound() {
    XCTAssertTrue(Budgets.importsInternals(source("import XCTest\n\n@testable import RepriseQuery\n")))
    for text in ["import RepriseQuery", "// @testable import A", "let a = \"\"\"\n@testable import A\n\"\"\""] {
      XCTAssertFalse(Budgets.importsInternals(source(text)), text)
    }
  }
}
