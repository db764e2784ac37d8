import Foundation
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

final class TextTestTests: InventoryTestCase {
  func testSuffixes() throws {
    try expect([table, ecole]) { $0.name.hasSuffix("le") }
    try expect([ecole]) { $0.name.hasSuffix("cole") }
    try expect([] as [Item]) { $0.name.hasSuffix("LE") }
    try expect([table, ecole]) { $0.name.hasSuffix("LE", .ignoringCase) }
    try expect([chair, table, lamp, ecole, orphan]) { $0.name.hasSuffix("") }
    try expect([] as [Item]) { $0.name.hasSuffix("a longer text than any of the names") }
    // The accent belongs to its letter.
    (ecole.name, table.name) = ("cafe\u{301}", "T")
    try expect([ecole]) { $0.name.hasSuffix("é") }
    try expect([] as [Item]) { $0.name.hasSuffix("e") }
    try expect([] as [Item]) { $0.name.hasSuffix("\u{301}") }
  }

  func testEqualityWithOptions() throws {
    try expect([lamp]) { $0.name.equals("LAMP", .ignoringCase) }
    try expect([] as [Item]) { $0.name.equals("LAM", .ignoringCase) }
    try expect([ecole]) { $0.name.equals("ecole", [.ignoringCase, .ignoringDiacritics]) }
    try expect([ecole]) { $0.name.equals("Ecole", .ignoringDiacritics) }
    try expect([chair, table, lamp, orphan]) { !$0.name.equals("Ecole", .ignoringDiacritics) }
    try expect([orphan]) { $0.name.equals("", .ignoringCase) }
    try expect([orphan]) { $0.name.isEmpty }
    // Nothing is a text behind a missing link.
    try expect([] as [Item]) { $0.owner.boss.name.equals("", .ignoringCase) }
    try expect([chair, table, orphan]) { !$0.owner.boss.name.contains("") }
    XCTAssertEqual(
      try source().compile(Fetch<Item> { $0.name.equals("a", []) }),
      try source().compile(Fetch<Item> { $0.name == "a" }))
  }

  func testDiacritics() {
    func folded(_ text: String) -> String { ComposedText.composed(ComposedText.withoutDiacritics(text)) }
    for (text, expected) in [
      ("École", "Ecole"), ("E\u{301}cole", "Ecole"), ("Ångström", "Angstrom"), ("ё", "е"), ("ΐ", "ι"), ("ệ", "e"),
      ("שָׁלוֹם", "שלום"), ("İ", "I"), ("", ""), ("abc", "abc"),
      // Letters of their own, or parts of a letter.
      ("ø", "ø"), ("ł", "ł"), ("が", "が"), ("한글", "한글"), ("क्षि", "क्षि"), ("ที่", "ที"), ("≠", "≠"),
    ] {
      XCTAssertTrue(folded(text).unicodeScalars.elementsEqual(expected.unicodeScalars), "\(text): \(folded(text))")
    }
  }

  func testOptionsOfEveryTest() throws {
    let both: TextOptions = [.ignoringCase, .ignoringDiacritics]
    try expect([ecole]) { $0.name.hasPrefix("EC", both) }
    try expect([ecole]) { $0.name.hasPrefix("Éc", both) }
    try expect([ecole]) { $0.name.contains("ÇO", both) }
    try expect([table, ecole]) { $0.name.hasSuffix("LÉ", both) }
    try expect([ecole]) { $0.name.like("?COL*", both) }
    try expect([ecole]) { $0.name.like("ec?l?", both) }
    try expect([ecole]) { $0.name.matches("ECOL[e]", both) }
    try expect([ecole]) { $0.name.matches(#"É\wO.E"#, both) }
    try expect([chair]) { $0.name.matches(#"[R-S]ED\sCHAIR"#, .ignoringCase) }
    try expect([] as [Item]) { $0.name.matches(#"RED\SCHAIR"#, .ignoringCase) }
  }

  func testWildcards() throws {
    try expect([chair]) { $0.name.like("Red chair") }
    try expect([chair]) { $0.name.like("R*") }
    try expect([chair]) { $0.name.like("*d*r") }
    try expect([lamp, ecole].reversed()) { $0.name.like("???p") || $0.name.like("?cole") }
    try expect([chair, table, lamp, ecole, orphan]) { $0.name.like("*") }
    try expect([chair, table, lamp, ecole]) { $0.name.like("?*") }
    try expect([orphan]) { $0.name.like("") }
    lamp.name = "100% *new*?"
    table.name = #"a\b"#
    try expect([lamp]) { $0.name.like(#"*\*new\*\?"#) }
    try expect([table]) { $0.name.like(#"a\\?"#) }
    try expect([lamp]) { $0.name.like("100% *") }
    try expect([] as [Item]) { $0.name.like("100_ *") }
  }

  func testWhatWildcardsAreSimpler() throws {
    let source = try source()
    for (pattern, condition) in [
      ("ab*", { $0.name.hasPrefix("ab") }), ("*ab", { $0.name.hasSuffix("ab") }),
      ("*ab*", { $0.name.contains("ab") }), ("**", { $0.name.hasPrefix("") }),
      (#"a\*b*"#, { $0.name.hasPrefix("a*b") }),
    ] as [(String, (Item.Fields) -> Condition<Item>)] {
      XCTAssertEqual(
        try source.compile(Fetch<Item> { $0.name.like(pattern) }), try source.compile(Fetch<Item>(condition)), pattern)
    }
  }

  func testPatternsThatAreNone() throws {
    let source = try source()
    let open = "the group is not closed"
    let range = "the range ends before it begins, or ends with a character class"
    let number = "the escape does not contain the number of a character"
    let group = "look-around, named groups and flags are not supported; only (?:…) is"
    let braces = "the braces are not of the form {2}, {2,} or {2,5}"
    let long = "the expression is too large: counting each repetition, it has more than 2000 parts"
    for (pattern, offset, reason) in [
      ("(", 0, open), ("a(b", 1, open), ("é(", 1, open), ("a)", 1, "there is no group to close"),
      ("[a", 0, "the set is not closed"), ("[]", 0, "the set is not closed"),
      ("*a", 0, "'*' has nothing before it to repeat"), ("a**", 2, "a repetition cannot be repeated; group it"),
      ("a++", 2, "possessive repetitions are not supported"), ("a{2", 1, braces),
      ("a{3,2}", 1, "the second number is less than the first"), ("a{,2}", 1, "a number is missing in the braces"),
      ("a{1001}", 5, "a repetition is limited to 1000"), (#"a\"#, 1, "nothing follows the backslash"),
      (#"(a)\1"#, 3, "backreferences are not supported"), ("(?=a)", 0, group), ("(?<n>a)", 0, group),
      ("(?i)a", 0, group), (#"\p{L}"#, 0, #"'\p' is not supported"#), (#"\q"#, 0, #"'\q' is not supported"#),
      (#"\x1"#, 0, number), (#"\u{110000}"#, 0, number), (#"\uD800"#, 0, number),
      (#"\u{41"#, 0, "the braces are not closed"), ("[b-a]", 1, range), (#"[a-\d]"#, 1, range),
      ("[[a]]", 1, #"a '[' within a set is written '\['"#), ("[a&&b]", 2, "operations on sets are not supported"),
      (#"[\b]"#, 1, #"a set cannot have '\b'"#), ("((a{100}){100}){100}", 0, long),
      ("(((){1000}){1000}){1000}", 0, long),
      (String(repeating: "(", count: 100_000), 51, "groups nest deeper than 50"),
    ] as [(String, Int, String)] {
      XCTAssertThrowsError(try source.compile(Fetch<Item> { $0.name.matches(pattern) }), pattern) { error in
        guard case FetchError.invalidPattern(pattern, offset, reason) = error else {
          return XCTFail("\(pattern): \(error)")
        }
        XCTAssertTrue("\(error)".hasSuffix("."), "\(error)")
        XCTAssertLessThan("\(error)".count, 300)
      }
    }
    XCTAssertThrowsError(try source.compile(Fetch<Item> { $0.name.like(#"a*\"#) })) {
      XCTAssertEqual(
        $0 as? FetchError,
        .invalidPattern(pattern: #"a*\"#, offset: 2, reason: "nothing follows the backslash"))
    }
  }

  /// A backtracking engine would not end within the age of the universe.
  func testNoPatternRunsAway() throws {
    let text = String(repeating: "a", count: 5_000)
    let item = Item(name: text)
    let source = try DetachedSource(Item.self, Person.self, objects: [item])
    for pattern in ["(a*)*b", "(a|aa)+b", "(a|a)*b", "(.*)*(.*)*x", "(a?){40}a{40}b", "((a*)+)+$b"] {
      XCTAssertEqual(try source.run(Fetch<Item> { $0.name.matches(pattern) }), [], pattern)
    }
    let stars = String(repeating: "*a", count: 100)
    XCTAssertEqual(try source.run(Fetch<Item> { $0.name.like(stars + "*b") }), [])
    XCTAssertEqual(try source.run(Fetch<Item> { $0.name.like(stars) }), [item.id.any])
  }

  private func matching(_ texts: [String], _ condition: (Item.Fields) -> Condition<Item>) throws -> [Bool] {
    let items = texts.map { Item(name: $0) }
    let found = Set(try DetachedSource(Item.self, Person.self, objects: items).run(Fetch<Item>(condition)))
    return items.map { found.contains($0.id.any) }
  }

  func testTheSyntaxOfExpressions() throws {
    for (pattern, yes, no) in [
      ("", [""], ["a"]), ("abc", ["abc"], ["ab", "abcd", "xabc"]), ("a|b|", ["a", "b", ""], ["ab"]),
      ("a.c", ["abc", "aéc", "a😀c"], ["a\nc", "a\r\nc", "ac"]), ("(ab)*c", ["c", "ababc"], ["abac"]),
      ("ab*", ["a", "abb"], ["abab"]), ("a{2}", ["aa"], ["a", "aaa"]), ("a{2,}", ["aa", "aaaa"], ["a"]),
      ("a{1,2}?", ["a", "aa"], ["", "aaa"]), ("a{0}b", ["b"], ["ab"]), ("(?:a|b)+?", ["ab"], [""]),
      ("[a-c]+", ["abc"], ["abd"]), ("[^a-c]", ["d", "\n"], ["a", ""]), ("[]a]", ["]", "a"], ["b"]),
      ("[^]]", ["a"], ["]"]), ("[a-]", ["a", "-"], ["b"]), ("[-a]", ["a", "-"], ["b"]),
      (#"[\]\\]"#, ["]", "\\"], ["a"]),
      (#"\d+"#, ["042", "٣"], ["4a"]), (#"[\d.]+"#, ["3.14"], ["3,14"]), (#"\D"#, ["a"], ["1"]),
      (#"[^\D]"#, ["1"], ["a"]), (#"\w+"#, ["aé_9", "e\u{301}", "한"], ["a b", "-"]), (#"\W"#, ["-", " "], ["a"]),
      (#"\s"#, [" ", "\t", "\u{A0}", "\u{3000}"], ["a"]), (#"\S"#, ["a"], [" "]),
      (#"\x41\u0042\u{1F600}"#, ["AB😀"], ["AB"]), (#"\t\n\r\f"#, ["\t\n\r\u{C}"], [""]),
      (#"\.\*\$\{"#, [".*${"], ["a"]),
      ("^a$", ["a"], ["b"]), ("a^b", [], ["ab"]), ("(^a|b)c", ["ac", "bc"], ["c"]),
      (#".*\bfox\b.*"#, ["a fox!"], ["foxy"]),
      (#".*\Box.*"#, ["fox"], ["ox"]), (#"\b"#, [], ["", "a"]), (#"\B"#, [""], ["a"]),
      ("é", ["é", "e\u{301}"], ["e"]),
      ("(a*)*", ["", "aaa"], ["b"]), ("(a|b*)*c", ["c", "abbac"], ["ab"]), ("}", ["}"], [""]), ("]", ["]"], [""]),
    ] as [(String, [String], [String])] {
      let found = try matching(yes + no) { $0.name.matches(pattern) }
      XCTAssertEqual(found, yes.map { _ in true } + no.map { _ in false }, pattern)
    }
  }

  /// Random patterns against ICU's engine, which backtracks.
  func testRandomExpressionsAgainstAnotherEngine() throws {
    for seed in testSeeds(20) {
      var random = SeededGenerator(seed: seed)
      func pattern(_ depth: Int) -> String {
        let atom =
          ["a", "b", ".", "[ab]", "[^a]", #"\w"#, #"\d"#, "1", #"\b"#].randomElement(using: &random) ?? ""
        switch depth == 0 ? 0 : Int.random(in: 0..<6, using: &random) {
        case 1: return pattern(depth - 1) + pattern(depth - 1)
        case 2: return "(?:" + pattern(depth - 1) + "|" + pattern(depth - 1) + ")"
        case 3:
          return "(?:" + pattern(depth - 1) + ")"
            + (["*", "+", "?", "{2}", "{1,2}"].randomElement(using: &random) ?? "")
        case 4: return pattern(depth - 1) + "(?:" + pattern(depth - 1) + ")?" + pattern(depth - 1)
        default: return atom
        }
      }
      let texts = (0..<30).map { _ in
        String((0..<Int.random(in: 0...6, using: &random)).map { _ in "ab1 -".randomElement(using: &random) ?? "a" })
      }
      for _ in 0..<20 {
        let pattern = pattern(3)
        let other = try NSRegularExpression(pattern: #"\A(?:"# + pattern + #")\z"#)
        let expected = texts.map { other.firstMatch(in: $0, range: NSRange($0.startIndex..., in: $0)) != nil }
        let found = try matching(texts) { $0.name.matches(pattern) }
        for (text, (found, expected)) in zip(texts, zip(found, expected)) {
          XCTAssertEqual(found, expected, "seed \(seed): '\(pattern)' of '\(text)'")
        }
      }
    }
  }

  /// Whatever is typed is an expression, or a typed error; `like` too.
  func testNothingTypedTraps() throws {
    let source = try DetachedSource(Item.self, Person.self, objects: [Item(name: "ab 12é\n"), Item(name: "")])
    for seed in testSeeds(20) {
      var random = SeededGenerator(seed: seed)
      var valid = 0
      for _ in 0..<300 {
        let pattern = String(
          (0..<Int.random(in: 0...12, using: &random)).map { _ in
            #"()[]{}*+?|\^$.-,0129abdwsxuBD&é\:"#.randomElement(using: &random) ?? "a"
          })
        for options in [[], .ignoringCase, .ignoringDiacritics] as [TextOptions] {
          do throws(FetchError) {
            _ = try source.run(Fetch<Item> { $0.name.matches(pattern, options) })
            valid += 1
            _ = try source.run(Fetch<Item> { $0.name.like(pattern, options) })
          } catch {
            if case .invalidPattern = error { continue }
            XCTFail("seed \(seed): '\(pattern)': \(error)")
          }
        }
      }
      XCTAssertGreaterThan(valid, 10, "seed \(seed)")
    }
  }

  /// Random wildcards against the definition.
  func testRandomWildcardsAgainstTheirDefinition() throws {
    func fits(_ text: Substring, _ pattern: Substring) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      switch first {
      case "*": return fits(text, pattern.dropFirst()) || !text.isEmpty && fits(text.dropFirst(), pattern)
      case "?": return !text.isEmpty && fits(text.dropFirst(), pattern.dropFirst())
      default: return text.first == first && fits(text.dropFirst(), pattern.dropFirst())
      }
    }
    for seed in testSeeds(20) {
      var random = SeededGenerator(seed: seed)
      func word(_ letters: String, _ count: Int) -> String {
        String(
          (0..<Int.random(in: 0...count, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
      }
      let texts = (0..<40).map { _ in word("aé😀", 7) }
      for _ in 0..<30 {
        let pattern = word("aé😀?**", 6)
        XCTAssertEqual(
          try matching(texts) { $0.name.like(pattern) }, texts.map { fits($0[...], pattern[...]) },
          "seed \(seed): \(pattern)")
      }
    }
  }
}
