import RepriseObjectModel
import RepriseQuery
import RepriseTestSeeds

/// Values that are hard to write, and values that the objects have.
struct RandomValues {
  private let texts = [
    "", "a", "tea", "Tea", "té", "te\u{301}", "item 9", "b", "a \"b\"\n", "\\", "`", "\u{202E}x", "\0\u{1b}[1m",
    "\u{301}", "\r\n", "👩‍👩‍👧", "\u{2028}", "' or 1 == 1 --",
  ]
  private let numbers: [Double] = [
    0, -0.0, 1, 0.5, 1.5, 2, -1, 0.1, 1e300, 5e-324, .infinity, -.infinity, .nan, -.nan, .greatestFiniteMagnitude,
    Double(bitPattern: 0x7ff8_0000_0000_0123), 86_400, 1e16, 123_456_789.123_456_7,
  ]

  func any(of kind: AttributeKind, _ random: inout SeededGenerator) -> PropertyValue {
    switch kind {
    case .bool: .bool(Bool.random(using: &random))
    case .int: .int([0, 1, 2, 3, -1, .min, .max].randomElement(using: &random)!)
    case .unsigned: .unsigned([0, 1, 2, 3, .max].randomElement(using: &random)!)
    case .double: .double(number(&random))
    case .string: .string(text(&random))
    case .bytes:
      .bytes((0..<Int.random(in: 0..<4, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .date: .date(date(&random))
    case .uuid: .uuid(UniqueID(high: UInt64.random(in: 0...3, using: &random), low: 1))
    case .blob: .blob(Blob(byteCount: 3, words: (random.next(), 0, 1, random.next())))
    }
  }

  func text(_ random: inout SeededGenerator) -> String {
    texts.randomElement(using: &random)! + (Bool.random(using: &random) ? "" : texts.randomElement(using: &random)!)
  }

  func number(_ random: inout SeededGenerator) -> Double {
    Int.random(in: 0..<4, using: &random) > 0
      ? numbers.randomElement(using: &random)! : Double(bitPattern: random.next())
  }

  func date(_ random: inout SeededGenerator) -> Double {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: number(&random)
    case 1: Double(Int.random(in: -4...4, using: &random)) * 86_400 - 100_000.25
    case 2: Double.random(in: -7e10...3e11, using: &random)
    default: Double.random(in: -1e9...1e9, using: &random).rounded()
    }
  }

  /// A test of texts, and a pattern that is valid for it.
  func test(_ random: inout SeededGenerator) -> (TextTest, String) {
    let tests: [TextTest] = [
      .hasPrefix, .hasSuffix, .contains, .equals, .like, .matches, .allWords, .anyWord, .allPrefixes, .whileTyping,
    ]
    let test = tests.randomElement(using: &random)!
    switch test {
    case .like: return (test, ["*", "t?a", "\\**", "item*"].randomElement(using: &random)!)
    case .matches: return (test, ["[a-z]+", "\\w* \\d+", "(t|T)e?a"].randomElement(using: &random)!)
    default: return (test, text(&random))
    }
  }
}
