import RepriseLocales
import RepriseObjectModel
import XCTest

/// The keys of collations with a locale, against orders that dictionaries of the languages have.
final class LocaleOrderTests: XCTestCase {
  private func sorted(_ texts: [String], _ collation: Collation) -> [String] {
    texts.sorted { ComposedText.order(collation.key(of: $0), collation.key(of: $1)) == .before }
  }

  private func assertOrder(_ texts: [String], _ collation: Collation, line: UInt = #line) {
    XCTAssertEqual(sorted(texts.reversed(), collation), texts, line: line)
    XCTAssertEqual(Set(texts.map { collation.key(of: $0) }).count, texts.count, line: line)
  }

  private func assertSame(_ texts: [String], _ collation: Collation, line: UInt = #line) {
    XCTAssertEqual(Set(texts.map { collation.key(of: $0) }).count, 1, "\(texts)", line: line)
  }

  func testEachLanguageHasItsOwnOrder() {
    assertOrder(["apa", "Zebra", "Ål", "Ärlig", "Öl"], .locale("sv"))
    assertOrder(["apfel", "Ärger", "Öl", "zebra"], .locale("de"))
    assertOrder(["Ad", "Ähre", "Af"], .locale("de-u-co-phonebk"))
    assertOrder(["Ad", "Af", "Ähre"], .locale("de"))
    assertOrder(["Zebra", "Æble", "Øl", "Ål", "Aarhus"], .locale("da"))
    assertOrder(["cukr", "dům", "hora", "chata", "jaro"], .locale("cs"))
    assertOrder(["nube", "ñu", "oso"], .locale("es"))
    assertOrder(["ir", "yra", "jis", "kad"], .locale("lt"))
  }

  func testCaseAndAccentsAndNumbersCountAsTheRulesSay() {
    assertOrder(["resume", "Resume", "résumé"], .locale("en"))
    assertSame(["resume", "RESUME"], [.locale("en"), .ignoringCase])
    assertOrder(["resume", "résumé"], [.locale("en"), .ignoringCase])
    assertSame(["resume", "résumé"], [.locale("en"), .ignoringDiacritics])
    assertOrder(["resume", "Resume"], [.locale("en"), .ignoringDiacritics])
    assertSame(["resume", "RÉSUMÉ"], [.locale("en"), .ignoringCase, .ignoringDiacritics])
    // Letters of their own are no letters with a mark.
    assertOrder(["o", "ö"], [.locale("sv"), .ignoringCase, .ignoringDiacritics])
    assertSame(["o", "ö"], [.locale("de"), .ignoringCase, .ignoringDiacritics])
    assertOrder(["item 9", "item 10", "item 100"], [.locale("en"), .natural])
    assertSame(["item 7", "item 007"], [.natural, .locale("en")])
    assertOrder(["item 10", "item 9"], .locale("en"))
  }

  func testTextsThatAreCanonicallyEquivalentHaveOneKey() {
    for collation in [Collation.locale("sv"), .locale("vi"), .locale("ko"), .locale("hi")] {
      assertSame(["é", "e\u{301}"], collation)
      assertSame(["ậ", "a\u{323}\u{302}", "a\u{302}\u{323}"], collation)
      assertSame(["각", "\u{1100}\u{1161}\u{11A8}"], collation)
      assertSame(["\u{212B}", "Å"], collation)
    }
  }

  func testAnyTextHasAKey() {
    let collation = Collation.locale("sv")
    XCTAssertEqual(collation.key(of: ""), "")
    XCTAssertEqual(collation.key(of: "\u{200D}"), "", "nothing of it counts")
    for text in ["\u{0}", "a\u{0}b", "\u{10FFFF}", "😀", "\u{301}", String(repeating: "漢å", count: 100_000)] {
      let key = collation.key(of: text)
      XCTAssertFalse(key.unicodeScalars.contains { $0.value == 0 || $0.value > 0xFF }, "\(text.prefix(4))")
      XCTAssertEqual(Array(key.utf8), ComposedText.bytes(of: key))
    }
    assertOrder(["\u{1F600}", "1", "a"], collation)
  }

  func testIdentifiersOfOneOrderAreOneCollation() {
    XCTAssertEqual(Collation.locale("sv_SE"), .locale("sv-SE"))
    XCTAssertEqual(Collation.locale("de@collation=phonebook"), .locale("de-u-co-phonebk"))
    XCTAssertEqual(Collation.locale("en_US@calendar=gregorian;currency=USD"), .locale("en-US"))
    XCTAssertEqual(Collation.locale("sv-u-ca-gregory-nu-latn"), .locale("sv"))
    XCTAssertNotEqual(Collation.locale("sv"), .locale("de"))
    XCTAssertNotEqual(Collation.locale("sv"), .binary)
    XCTAssertEqual(Collation.locale("sv").name, "locale:sv")
    XCTAssertEqual(Collation.locale(""), .locale("und"), "the root, as of ICU and Foundation")
  }

  func testAnUnknownLocaleIsNotTakenForTheRootOrder() {
    for known in ["sv", "en", "fr-CA", "pt_BR", "zh-Hant-TW", "sr-Latn", "nb", "und", "en-u-co-emoji"] {
      XCTAssertTrue(Collation.locale(known).isKnown, known)
    }
    for unknown in ["xx", "Swedish", "sv-u-co-phonebk", "de-u-co-wrong", "--", "sv;drop", "🇸🇪", "sv\u{0}"] {
      XCTAssertFalse(Collation.locale(unknown).isKnown, unknown)
    }
  }

  func testACollationIsWrittenAndReadAgain() throws {
    for collation: Collation in [.locale("sv"), [.locale("de-u-co-phonebk"), .ignoringCase, .natural], .locale("xx")] {
      XCTAssertEqual(Collation(name: collation.name), collation)
      XCTAssertEqual(
        try JSONDecoder().decode([Collation].self, from: JSONEncoder().encode([collation])), [collation])
    }
    XCTAssertEqual(Collation(name: "ignoringCase+natural+locale:sv"), [.locale("sv"), .natural, .ignoringCase])
    for wrong in ["locale:", "locale:sv+natural", "locale:sv+locale:de", "natural+", "locale:sv+"] {
      XCTAssertNil(Collation(name: wrong), wrong)
    }
    let both: Collation = [.locale("sv"), .natural]
    XCTAssertEqual(both.description, "[.natural, .locale(\"sv\")]")
    XCTAssertEqual(Collation.locale("sv").description, ".locale(\"sv\")")
  }

  func testSectionsAreTheLettersOfTheAlphabet() {
    func letters(_ texts: [String], _ collation: Collation) -> [String] {
      texts.map { SectionFunction.firstCharacter.name(of: .string($0), collation) }
    }
    XCTAssertEqual(
      letters(["apa", "Élan", "Åsa", "äta", "Öl", "zoo", "9 lives", "", "Ωmega", "漢", "«citat»"], .locale("sv")),
      ["A", "E", "Å", "Ä", "Ö", "Z", "#", "", "…", "…", "#"])
    XCTAssertEqual(letters(["Ärger", "Öl", "straße"], .locale("de")), ["A", "O", "S"])
    XCTAssertEqual(letters(["chata", "cukr", "Český"], .locale("cs")), ["CH", "C", "Č"])
    XCTAssertEqual(letters(["анна", "Яна", "Zoe"], .locale("ru")), ["А", "Я", "…"])
    XCTAssertEqual(letters(["item", "Élan"], [.locale("fr"), .ignoringCase, .natural]), ["I", "E"])
  }

  /// By every text's neighbours: names, and the bounds that lists over an index seek.
  func testSectionsAreRunsOfKeysWithTheirBounds() {
    let texts = [
      "", "9", "a", "A", "Äpple", "apa", "b", "É", "é", "Z", "ž", "å", "ä", "ö", "ø", "Ω", "я", "漢", "😀", "«",
      "\u{200D}",
    ]
    for collation: Collation in [
      .locale("sv"), [.locale("de"), .ignoringCase, .natural], .locale("ja"), .locale("cs"),
    ] {
      let keys = texts.map { OrderKey.bytes(of: collation.key(of: .string($0))) }.sorted { $0.precedes($1) }
      let function = SectionFunction.firstCharacter
      var seen: [String] = []
      for (place, key) in keys.enumerated() {
        let name = function.name(ofRowKey: key, collation)
        if seen.last != name {
          XCTAssertFalse(seen.contains(name), "\(collation): \(name) is torn apart")
          seen.append(name)
        }
        let (lower, upper) = (
          function.lowerBound(ofRowKey: key, collation), function.upperBound(ofRowKey: key, collation)
        )
        for (other, otherKey) in keys.enumerated() {
          let isSame = function.name(ofRowKey: otherKey, collation) == name
          let isWithin = !otherKey.precedes(lower) && otherKey.precedes(upper)
          XCTAssertEqual(isSame, isWithin, "\(collation): \(place), \(other)")
        }
      }
    }
  }
}
