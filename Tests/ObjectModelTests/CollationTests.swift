import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class CollationTests: XCTestCase {
  func testKeysSortAsTheCollationDoes() {
    for seed in testSeeds(6) {
      var random = SeededGenerator(seed: seed)
      for collation in CollationOracle.collations {
        let texts = (0..<150).map { _ in CollationOracle.text(&random) }
        let tokens = texts.map { CollationOracle.tokens($0, collation) }
        let keys = texts.map { OrderKey.bytes(of: collation.key(of: .string($0.text))) }
        for left in texts.indices {
          for right in texts.indices {
            let expected = CollationOracle.order(tokens[left], tokens[right])
            let found = ValueOrder(of: keys[left], against: keys[right]).rawValue
            XCTAssertEqual(
              Int(found), expected,
              "seed \(seed), \(collation): \(texts[left].text.debugDescription), \(texts[right].text.debugDescription)")
          }
        }
      }
    }
  }

  func testNumbersOfAnyLength() {
    var random = SeededGenerator(seed: testSeed(default: 7))
    var numbers = ["0", "1"]
    for length in 1...100 {
      numbers.append("1" + String(repeating: "0", count: length - 1))
      numbers.append(String(repeating: "9", count: length))
    }
    numbers.sort { $0.count != $1.count ? $0.count < $1.count : $0 < $1 }
    let keys = numbers.map { Collation.natural.key(of: "n" + $0 + " b") }
    for (left, right) in zip(keys, keys.dropFirst()) where left != right { XCTAssertLessThan(left, right) }
    for number in numbers {
      let zeros = String(repeating: "0", count: Int.random(in: 0...30, using: &random))
      XCTAssertEqual(Collation.natural.key(of: zeros + number), Collation.natural.key(of: number))
    }
    XCTAssertEqual(Collation.natural.key(of: "item 007"), Collation.natural.key(of: "item 7"))
    XCTAssertNotEqual(Collation.natural.key(of: "1.50"), Collation.natural.key(of: "1.5"))
    XCTAssertLessThan(Collation.natural.key(of: "v1.9"), Collation.natural.key(of: "v1.10"))
  }

  /// Over all of Unicode: one class for a character and its cases, and nothing left to fold.
  func testCasesOfOneLetterAreTheSame() {
    func fold(_ text: String) -> String { ComposedText.composed(ComposedText.foldingCase(text)) }
    for value: UInt32 in 0..<0x11_0000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      let folded = fold(String(scalar))
      guard properties.changesWhenCaseMapped || properties.changesWhenCaseFolded else {
        XCTAssertTrue(folded.unicodeScalars.elementsEqual(ComposedText.composed(String(scalar)).unicodeScalars))
        continue
      }
      XCTAssertTrue(fold(folded).unicodeScalars.elementsEqual(folded.unicodeScalars), "\(scalar)")
      XCTAssertEqual(folded, fold(properties.lowercaseMapping), "\(scalar)")
      // The folding leaves the dotless i alone, though its upper case is that of i.
      if scalar == "\u{131}" { continue }
      XCTAssertEqual(folded, fold(properties.uppercaseMapping), "\(scalar)")
      XCTAssertEqual(folded, fold(properties.titlecaseMapping), "\(scalar)")
    }
    for (left, right) in [
      ("STRASSE", "straße"), ("ΟΔΟΣ", "οδος"), ("ẞ", "ß"), ("ﬁ", "FI"), ("ſ", "s"), ("\u{212A}", "k"),
      ("İ", "i\u{307}"),
      ("α\u{345}\u{301}", "ᾴ"), ("ᾷ", "ᾼ\u{342}"), ("ᾼ", "αι"), ("Ꭰ", "\u{AB70}"),
    ] { XCTAssertEqual(fold(left), fold(right)) }
    for (left, right) in [("ı", "i"), ("ø", "o"), ("é", "e"), ("I", "ı")] { XCTAssertNotEqual(fold(left), fold(right)) }
  }

  /// Canonically equivalent texts stay so.
  func testHowAnAccentWasTypedMakesNoDifference() {
    for collation in CollationOracle.collations {
      for (left, right) in [
        ("É", "E\u{301}"), ("a\u{327}\u{301}", "a\u{301}\u{327}"), ("α\u{345}\u{301}", "α\u{301}\u{345}"),
        ("가", "\u{1100}\u{1161}"),
      ] {
        XCTAssertEqual(
          OrderKey.bytes(of: collation.key(of: .string(left))), OrderKey.bytes(of: collation.key(of: .string(right))),
          "\(collation)")
      }
    }
  }

  func testTheSpellingOfAKeyHasThatKey() {
    for seed in testSeeds(4) {
      var random = SeededGenerator(seed: seed)
      for collation in CollationOracle.collations {
        for _ in 0..<300 {
          let text = CollationOracle.text(&random).text
          let key = collation.key(of: text)
          XCTAssertEqual(collation.key(of: collation.spelling(ofKey: key)), key, "seed \(seed), \(collation): \(text)")
        }
      }
    }
    XCTAssertEqual(Collation.natural.spelling(ofKey: Collation.natural.key(of: "a 0012 b ٣")), "a 12 b 3")
    // What damage can leave.
    for key in ["9", "99999", "5", "31", "a8123", "90", "9012"] {
      XCTAssertLessThanOrEqual(Collation.natural.spelling(ofKey: key).count, key.count)
    }
  }

  func testNames() throws {
    XCTAssertEqual(Collation.binary.name, "")
    XCTAssertEqual(([.natural, .ignoringCase] as Collation).name, "ignoringCase+natural")
    XCTAssertEqual(([.natural, .ignoringCase] as Collation).description, "[.ignoringCase, .natural]")
    XCTAssertEqual([] as Collation, .binary)
    XCTAssertEqual(Set(CollationOracle.collations.map(\.name)).count, 8)
    for collation in CollationOracle.collations { XCTAssertEqual(Collation(name: collation.name), collation) }
    for name in ["natural+ignoringCase", "natural+natural", "+", "natural+", "Natural", "sv"] {
      XCTAssertNil(Collation(name: name), name)
    }
  }
}
