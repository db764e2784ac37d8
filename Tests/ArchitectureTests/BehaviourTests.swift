import XCTest

/// RestorationBehaviours.md numbers the behaviours, and each row names the tests that show one.
final class BehaviourTests: XCTestCase {
  func testEachBehaviourOfRestorationHasATest() throws {
    let page = try Checkout.file("Docs/RestorationBehaviours.md")
    XCTAssertEqual(Self.proven(in: page), Array(1...70))
  }

  func testABehaviourWithoutATestIsFound() {
    let text =
      "| no. | a | b |\n|---|---|---|\n| 1 | a | `testA` |\n| 2 | b | — |\n3 `testB`\n| 4 | c | `testC`, `testD` |"
    XCTAssertEqual(Self.proven(in: SourceFile(path: "a.md", text: text)), [1, 4])
  }

  /// The numbers of the rows that name a test.
  private static func proven(in page: SourceFile) -> [Int] {
    let tested = Set(QuotedTests.quoted(in: page).map(\.line))
    return page.lines.enumerated().compactMap { index, line -> Int? in
      guard line.hasPrefix("| "), tested.contains(index + 1) else { return nil }
      return Int(line.dropFirst(2).prefix { $0.isNumber })
    }
  }
}
