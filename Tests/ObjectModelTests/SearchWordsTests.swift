import Foundation
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class SearchWordsTests: XCTestCase {
  /// A character next to the one before it is marked with "+".
  private func words(_ text: String) -> [String] {
    var words: [String] = []
    SearchWords.forEach(in: text) { word in
      words.append((word.isAdjacent ? "+" : "") + String(decoding: word.bytes, as: UTF8.self))
      return true
    }
    return words
  }

  func testWhateverIsNoLetterMarkOrDigitSeparates() {
    for (text, expected) in [
      ("", []), (" .,;\n\t-_/", []), ("Hello, world!", ["hello", "world"]), ("don't", ["don", "t"]),
      ("snake_case, camelCase", ["snake", "case", "camelcase"]), ("a-b/c", ["a", "b", "c"]),
      ("3.14 x2", ["3", "14", "x2"]), ("x² ½", ["x²", "½"]), ("a\u{0}b", ["a", "b"]), ("“Zitat”—ja", ["zitat", "ja"]),
      ("a🙂b 👩‍👧", ["a", "b"]), ("Preis: 5 €", ["preis", "5"]), ("ends", ["ends"]), ("é", ["e"]),
      ("Привет, мир", ["привет", "мир"]), ("שלום", ["שלום"]), ("한국어 글", ["한국어", "글"]),
    ] as [(String, [String])] {
      XCTAssertEqual(words(text), expected, text)
    }
  }

  func testCaseAndDiacriticsDoNotTellWordsApart() {
    for forms in [
      ["Straße", "STRASSE", "strasse", "STRAẞE"],
      ["Ångström", "angstrom", "A\u{30A}NGSTRO\u{308}M", "\u{212B}ngström"],
      ["ΟΔΟΣ", "οδος", "οδοσ", "Οδός"], ["İstanbul", "istanbul", "ISTANBUL", "ıstanbul"], ["ﬁn", "FIN"],
      ["ё", "Е", "е"], ["Ǆ", "ǅ", "ǆ"], ["한글", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"],
    ] {
      XCTAssertEqual(Set(forms.map { words($0) }).count, 1, "\(forms.map { words($0) })")
    }
    // Letters of their own.
    XCTAssertEqual(words("Øre łódź"), ["øre", "łodz"])
  }

  func testEveryCaseOfALetterIsOneLetter() {
    for value in UInt32(0)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else { continue }
      let properties = scalar.properties
      let forms = [
        String(scalar), properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping,
      ]
      // The iota subscript is a mark that is dropped, and its upper-case form a letter.
      if String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.contains("\u{345}") { continue }
      XCTAssertEqual(Set(forms.map { words($0) }).count, 1, "U+\(String(value, radix: 16)) \(forms.map { words($0) })")
    }
  }

  func testSpellingsOfOneTextHaveTheSameWords() {
    // What a separator composes to with a mark is a separator as well, and the mark alone is no word.
    for (composed, decomposed) in [("é", "e\u{301}"), ("a≠b", "a=\u{338}b"), ("≮x", "<\u{338}x"), ("が", "か\u{3099}")] {
      XCTAssertEqual(words(composed), words(decomposed), composed)
    }
    XCTAssertEqual(words("\u{301}a \u{338}"), ["a"])
  }

  func testWhatUnicodeIgnoresSeparatesNoWord() {
    XCTAssertEqual(words("Zucker\u{AD}guss"), ["zuckerguss"])
    XCTAssertEqual(words("می\u{200C}خواهم"), ["میخواهم"])
    XCTAssertEqual(words("葛\u{E0100}飾"), ["葛", "+飾"])
    XCTAssertEqual(words("\u{FEFF}a"), ["a"])
    XCTAssertEqual(words("ab\u{200B}cd"), ["ab", "cd"])
  }

  func testScriptsWithoutSpacesGiveAWordForEachCharacter() {
    XCTAssertEqual(words("東京都 に"), ["東", "+京", "+都", "に"])
    XCTAssertEqual(words("iPhone用ケース"), ["iphone", "用", "+ケ", "+ー", "+ス"])
    XCTAssertEqual(words("東。京"), ["東", "京"])
    XCTAssertEqual(words("ก า"), ["ก", "า"])
    XCTAssertEqual(words("กา"), ["ก", "+า"])
    XCTAssertEqual(words("𠮷野"), ["𠮷", "+野"])
  }

  func testALongWordIsCutAtACharacter() {
    let long = String(repeating: "ab", count: 500)
    XCTAssertEqual(words(long), [String(long.prefix(128))])
    XCTAssertEqual(words(long + "é"), [String(long.prefix(128))])
    // 43 characters of three bytes would be 129.
    XCTAssertEqual(words(String(repeating: "글", count: 50)), [String(repeating: "글", count: 42)])
    // What is shorter behind the cut does not slip in.
    XCTAssertEqual(words(String(repeating: "글", count: 50) + "a"), [String(repeating: "글", count: 42)])
    XCTAssertEqual(words("x " + long + " y").count, 3)
  }

  func testEachWordIsThereOnceAndTheLoopEndsWhenItIsTold() {
    XCTAssertEqual(
      SearchWords.keys(of: "the Cat and THE hat, a cat"),
      ["a", "and", "cat", "hat", "the"].map { OrderKey.bytes(of: .string($0)) })
    var seen = 0
    SearchWords.forEach(in: "a b é d 東京 e") { _ in
      seen += 1
      return seen < 5
    }
    XCTAssertEqual(seen, 5)
  }

  func testARowOfAWordIsWhereItsTextWouldBe() {
    var random = SeededGenerator(seed: testSeed(default: 1))
    for _ in 0..<2_000 {
      let text = RandomValues.text(&random)
      for key in SearchWords.keys(of: text) {
        let word = Array(key.dropFirst().dropLast(2))
        let string = String(decoding: word, as: UTF8.self)
        XCTAssertEqual(key, OrderKey.bytes(of: .string(string)), string)
        XCTAssertLessThan(key.count, RowKey.storedLimit)
        let row = key + [UInt8](repeating: 0xFF, count: 16)
        let beginning = Array(word.prefix(Int.random(in: 1...word.count, using: &random)))
        XCTAssertTrue(WordRange(word).keys.contains(row))
        XCTAssertTrue(WordRange(beginning, isPrefix: true).keys.contains(row))
        XCTAssertEqual(WordRange(beginning).keys.contains(row), beginning == word)
      }
    }
  }
}
