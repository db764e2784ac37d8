import RepriseObjectModel
import RepriseTestSeeds

/// Texts of a small alphabet, and their order under collations, told from tables written by hand.
enum CollationOracle {
  /// By letter, composed or not: its scalars as they are, without case, and without diacritics.
  private static let letters: [(text: String, composed: String, caseless: String, bare: String)] = [
    ("a", "a", "a", "a"), ("A", "A", "a", "A"), ("b", "b", "b", "b"), ("z", "z", "z", "z"), ("S", "S", "s", "S"),
    ("s", "s", "s", "s"), ("ß", "ß", "ss", "ß"), ("ẞ", "ẞ", "ss", "ẞ"), ("é", "é", "é", "e"), ("É", "É", "é", "E"),
    ("e\u{301}", "é", "é", "e"), ("E\u{301}", "É", "é", "E"), ("e", "e", "e", "e"), ("σ", "σ", "σ", "σ"),
    ("ς", "ς", "σ", "ς"), ("Σ", "Σ", "σ", "Σ"), ("ı", "ı", "ı", "ı"), ("i", "i", "i", "i"), ("I", "I", "i", "I"),
    ("İ", "İ", "i\u{307}", "I"), ("Å", "Å", "å", "A"), ("\u{212B}", "Å", "å", "A"), ("ø", "ø", "ø", "ø"),
    ("Ø", "Ø", "ø", "Ø"), ("ﬁ", "ﬁ", "fi", "ﬁ"), ("\u{0}", "\u{0}", "\u{0}", "\u{0}"), (" ", " ", " ", " "),
    ("/", "/", "/", "/"), (":", ":", ":", ":"), ("-", "-", "-", "-"), ("😀", "😀", "😀", "😀"), ("が", "が", "が", "が"),
    ("Ё", "Ё", "ё", "Е"), ("\u{10FFFF}", "\u{10FFFF}", "\u{10FFFF}", "\u{10FFFF}"),
    ("²", "²", "²", "²"), ("Ⅻ", "Ⅻ", "ⅻ", "Ⅻ"),
  ]
  private static let bareOfCaseless = ["é": "e", "i\u{307}": "i", "å": "a", "ё": "е"]
  private static let digits = ["0", "0", "1", "2", "9", "٠", "٣", "９"]
  private static let digitValues = ["٠": "0", "٣": "3", "９": "9"]

  struct Text {
    private(set) var text = ""
    /// By letter; of digits themselves.
    fileprivate var pieces: [Int] = []
  }

  static func text(_ random: inout SeededGenerator) -> Text {
    var text = Text()
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      if Int.random(in: 0..<3, using: &random) == 0 {
        let count = Int.random(in: 0..<20, using: &random) == 0 ? Int.random(in: 1...60, using: &random) : 2
        for _ in 0..<Int.random(in: 1...count, using: &random) {
          let place = Int.random(in: digits.indices, using: &random)
          text.append(digits[place], -1 - place)
        }
      } else {
        let place = Int.random(in: letters.indices, using: &random)
        text.append(letters[place].text, place)
      }
    }
    return text
  }

  enum Token: Equatable {
    case scalar(Unicode.Scalar)
    /// Without leading zeros.
    case number([Unicode.Scalar])
  }

  static func tokens(_ text: Text, _ collation: Collation) -> [Token] {
    let isCaseless = collation.rules.contains(.ignoringCase)
    let isBare = collation.rules.contains(.ignoringDiacritics)
    var tokens: [Token] = []
    var number: [Unicode.Scalar] = []
    func endNumber() {
      if number.isEmpty { return }
      let significant = number.drop { $0 == "0" }
      tokens.append(.number(significant.isEmpty ? ["0"] : Array(significant)))
      number = []
    }
    for piece in text.pieces {
      if piece < 0 {
        let digit = digits[-1 - piece]
        if collation.rules.contains(.natural) {
          number += (digitValues[digit] ?? digit).unicodeScalars
        } else {
          tokens += digit.unicodeScalars.map { .scalar($0) }
        }
        continue
      }
      endNumber()
      let letter = letters[piece]
      let shown =
        switch (isCaseless, isBare) {
        case (false, false): letter.composed
        case (true, false): letter.caseless
        case (false, true): letter.bare
        case (true, true): bareOfCaseless[letter.caseless] ?? letter.caseless
        }
      tokens += shown.unicodeScalars.map { .scalar($0) }
    }
    endNumber()
    return tokens
  }

  /// -1, 0, 1.
  static func order(_ left: [Token], _ right: [Token]) -> Int {
    for (l, r) in zip(left, right) where l != r {
      switch (l, r) {
      case (.scalar(let l), .scalar(let r)): return l < r ? -1 : 1
      case (.number, .scalar(let r)): return r < "0" ? 1 : -1
      case (.scalar(let l), .number): return l < "0" ? -1 : 1
      case (.number(let l), .number(let r)):
        if l.count != r.count { return l.count < r.count ? -1 : 1 }
        return l.lexicographicallyPrecedes(r) ? -1 : 1
      }
    }
    return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
  }

  static let collations: [Collation] = (0..<8).map { Collation(Collation.Rules(rawValue: $0)) }
}

extension CollationOracle.Text {
  fileprivate mutating func append(_ text: String, _ piece: Int) {
    self.text += text
    pieces.append(piece)
  }
}
