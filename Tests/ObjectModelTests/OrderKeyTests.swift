import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class OrderKeyTests: XCTestCase {
  private func key(_ value: PropertyValue) -> [UInt8] { OrderKey.bytes(of: value) }

  private func order(_ left: [UInt8], _ right: [UInt8]) -> ValueOrder {
    left == right ? .same : left.lexicographicallyPrecedes(right) ? .before : .after
  }

  func testIndexesAndListsNeverDisagreeAboutTheOrder() {
    var random = SeededGenerator(seed: testSeed(default: 1))
    for _ in 0..<20_000 {
      let (left, right) = (RandomValues.value(&random), RandomValues.value(&random))
      let expected = left.order(against: right)
      XCTAssertEqual(order(key(left), key(right)), expected, "\(left) | \(right)")
      XCTAssertEqual(right.order(against: left).rawValue, -expected.rawValue, "\(left) | \(right)")
    }
  }

  func testAValueOfAnUnknownLengthDoesNotMixItsKeyWithWhatFollowsIt() {
    var random = SeededGenerator(seed: testSeed(default: 2))
    for _ in 0..<10_000 {
      let (left, right) = (RandomValues.value(&random), RandomValues.value(&random))
      var (l, r) = (key(left), key(right))
      let expected = order(l, r)
      if expected == .same { continue }
      for _ in 0..<16 {
        l.append(UInt8.random(in: 0...255, using: &random))
        r.append(UInt8.random(in: 0...255, using: &random))
      }
      XCTAssertEqual(order(l, r), expected, "\(left) | \(right)")
    }
  }

  func testTheLengthOfAKeyIsFoundWithinARow() {
    var random = SeededGenerator(seed: testSeed(default: 4))
    for _ in 0..<5_000 {
      let value = RandomValues.value(&random)
      let row = key(value) + (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      XCTAssertEqual(OrderKey.length(row), key(value).count, "\(value)")
    }
  }

  func testSpellingsOfOneTextShareAKey() {
    XCTAssertEqual(key(.string("é")), key(.string("e\u{301}")))
    XCTAssertEqual(key(.string("가")), key(.string("\u{1100}\u{1161}")))
    XCTAssertEqual(key(.string("\u{2126}")), key(.string("Ω")))
    XCTAssertEqual(key(.string("a\u{327}\u{301}")), key(.string("a\u{301}\u{327}")))
    XCTAssertNotEqual(key(.string("e")), key(.string("é")))
  }

  func testWhatIsNotNeededOfAKeyIsLeftOut() {
    var random = SeededGenerator(seed: testSeed(default: 6))
    for _ in 0..<5_000 {
      let value = RandomValues.value(&random)
      let end = Int.random(in: 0...600, using: &random)
      var key: [UInt8] = []
      OrderKey.append(value, upTo: end, to: &key)
      XCTAssertEqual(key.prefix(end), self.key(value).prefix(end), "\(value) up to \(end)")
      XCTAssertLessThan(key.count, max(end, 41) + 5)
    }
  }

  func testTheBytesOfKeysStayAsTheFileFormatHasThem() {
    XCTAssertEqual(OrderKey.version, 1)
    XCTAssertEqual(key(.null), [0])
    XCTAssertEqual(key(.string("a\u{0}é")), [1, 0x61, 0, 0xFF, 0xC3, 0xA9, 0, 0])
    XCTAssertEqual(key(.string("")), [1, 0, 0])
    XCTAssertEqual(key(.bytes([0xFF, 0])), [2, 0xFF, 0, 0xFF, 0, 0])
    XCTAssertEqual(key(.bool(true)), [3, 1])
    XCTAssertEqual(key(.int(-1)), [4, 0x7F, 255, 255, 255, 255, 255, 255, 255])
    XCTAssertEqual(key(.unsigned(258)), [5, 0, 0, 0, 0, 0, 0, 1, 2])
    XCTAssertEqual(key(.double(1)), [6, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0])
    XCTAssertEqual(key(.double(-1)), [6, 0x40, 0x0F, 255, 255, 255, 255, 255, 255])
    XCTAssertEqual(key(.date(0)), [7, 0x80, 0, 0, 0, 0, 0, 0, 0])
    XCTAssertEqual(key(.uuid(UniqueID(high: 1, low: 2))), [8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2])
    XCTAssertEqual(key(.reference(AnyObjectID(EntityName("Item"), .zero))), [9] + [UInt8](repeating: 0, count: 16))
  }

  func testNumbersThatAreNotEqualToThemselvesHaveAPlace() {
    XCTAssertEqual(PropertyValue.double(.nan).order(against: .double(-.nan)), .same)
    XCTAssertEqual(PropertyValue.double(.nan).order(against: .double(.infinity)), .after)
    XCTAssertEqual(PropertyValue.double(-0.0).order(against: .double(0)), .same)
    XCTAssertEqual(PropertyValue.null.order(against: .double(-.infinity)), .before)
  }

  func testTheBytesBehindAPrefixAreFound() {
    XCTAssertEqual(OrderKey.successor(of: [1, 2]), [1, 3])
    XCTAssertEqual(OrderKey.successor(of: [1, 255, 255]), [2])
    XCTAssertNil(OrderKey.successor(of: [255, 255]))
  }
}

final class ComposedTextTests: XCTestCase {
  func testComposedFormsAreEqualExactlyWhereTheTextsAre() {
    var random = SeededGenerator(seed: testSeed(default: 5))
    for _ in 0..<5_000 {
      let (left, right) = (RandomValues.text(&random), RandomValues.text(&random))
      let (l, r) = (ComposedText.bytes(of: left), ComposedText.bytes(of: right))
      XCTAssertEqual(l == r, left == right)
      XCTAssertEqual(ComposedText.order(left, right), ValueOrder(of: l, against: r))
      XCTAssertEqual(String(decoding: l, as: UTF8.self), left)
      XCTAssertEqual(ComposedText.bytes(of: String(decoding: l, as: UTF8.self)), l)
      XCTAssertEqual(ComposedText.firstScalar(of: left), String(decoding: l, as: UTF8.self).unicodeScalars.first)
    }
  }

  func testATextThatBeginsAnotherComesFirstHoweverItIsSpelled() {
    XCTAssertEqual(ComposedText.order("e\u{301}", "éé"), .before)
    XCTAssertEqual(ComposedText.order("é", "e\u{301}é"), .before)
    XCTAssertEqual(ComposedText.order("e\u{301}", "é"), .same)
    XCTAssertEqual(ComposedText.order("z", "é"), .before)
  }
}
