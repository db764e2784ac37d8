import RepriseCore
import RepriseInspector
import RepriseObjectModel
import XCTest

/// The page shows another value than the store has.
final class ValueFormTests: XCTestCase {
  private func json(_ value: PropertyValue) -> JSON { ValueForm.json(value) }

  func testNumbersOfJSONAreNumbers() {
    XCTAssertEqual(json(.null), .null)
    XCTAssertEqual(json(.bool(true)), .bool(true))
    XCTAssertEqual(json(.int(-9_007_199_254_740_992)), .int(-9_007_199_254_740_992))
    XCTAssertEqual(json(.unsigned(7)), .int(7))
    XCTAssertEqual(json(.double(0.5)), .double(0.5))
  }

  func testLargeNumbersAreExact() {
    func integer(_ text: String) -> JSON { .object(["kind": .text("integer"), "text": .text(text)]) }
    XCTAssertEqual(json(.int(9_007_199_254_740_993)), integer("9007199254740993"))
    XCTAssertEqual(json(.int(.min)), integer("-9223372036854775808"))
    XCTAssertEqual(json(.unsigned(.max)), integer("18446744073709551615"))
  }

  func testNumbersThatJSONLacksAreTexts() {
    func number(_ text: String) -> JSON { .object(["kind": .text("number"), "text": .text(text)]) }
    XCTAssertEqual(json(.double(.nan)), number("nan"))
    XCTAssertEqual(json(.double(-.infinity)), number("-inf"))
  }

  func testALongTextIsCut() {
    XCTAssertEqual(json(.string(String(repeating: "é", count: 300))), .text(String(repeating: "é", count: 300)))
    XCTAssertEqual(
      json(.string(String(repeating: "é", count: 301))),
      .object([
        "kind": .text("long"), "text": .text(String(repeating: "é", count: 300)), "count": .int(602),
      ]))
  }

  func testBytesAndDatesHaveAText() {
    XCTAssertEqual(
      json(.bytes([0, 15, 255])), .object(["kind": .text("bytes"), "text": .text("000fff"), "count": .int(3)]))
    XCTAssertEqual(
      json(.date(0)),
      .object(["kind": .text("date"), "text": .text("2001-01-01 00:00:00"), "seconds": .double(0)]))
    XCTAssertEqual(
      json(.date(.infinity)), .object(["kind": .text("date"), "text": .text("inf s"), "seconds": .null]))
  }
}
