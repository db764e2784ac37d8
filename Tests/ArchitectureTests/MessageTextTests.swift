import XCTest

/// Each message stands word for word in a test, which fails when the message changes.
final class MessageTextTests: XCTestCase {
  func testFewerMessagesHaveNoTest() throws {
    let tests = PlainText(try Checkout.files(under: "Tests").flatMap(\.lines))
    let untested = MessageTexts.untested(try Checkout.files(under: "Sources"), in: tests)
    for area in Set(untested.keys).union(Budgets.untestedMessages.keys).sorted() {
      let (found, budget) = (untested[area] ?? [], Budgets.untestedMessages[area] ?? 0)
      if found.count < budget { XCTFail("lower Budgets.untestedMessages of \(area) to \(found.count)") }
      if found.count <= budget { continue }
      let places = found.map { "\($0.path):\($0.line): \($0.text)" }.joined(separator: "\n")
      XCTFail("\(area) has \(found.count) messages without a test, at most \(budget):\n\(places)")
    }
  }

  func testAMessageIsTheSameHoweverItIsWritten() {
    let source = SourceFile(
      path: "Sources/Log/A.swift",
      text: #"let a = "The store at \(path.map { "(\($0))" }) is \"full\" ""#
        + "\n  + \"and cannot grow.\\nMove \\(it).\"")
    for test in [
      #"XCTAssertEqual(a, "The store at /a is \"full\" and cannot grow.\nMove x.")"#,
      "The store at \\(path) is \"full\" and cannot\\\ngrow.\nMove it",
      "\"The store at \" + \"is full \"\n  + \"and cannot grow. Move\"",
    ] {
      XCTAssertEqual(MessageTexts.untested([source], in: PlainText(test.split(separator: "\n"))), [:], test)
    }
    for test in ["", "The store at x", "The store at x is full and cannot grow."] {
      let found = MessageTexts.untested([source], in: PlainText([test]))
      XCTAssertEqual(found.mapValues { $0.map(\.line) }, ["Log": [1]], test)
    }
  }
}
