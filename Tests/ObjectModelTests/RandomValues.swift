import RepriseObjectModel
import RepriseTestSeeds

/// Values made to collide, to be cut, and to be canonically equivalent.
enum RandomValues {
  private static let pieces = [
    "", "a", "b", "A", "Z", "é", "e\u{301}", "e", "\u{301}", "\u{327}", "a\u{327}\u{301}", "a\u{301}\u{327}", "\u{0}",
    "\u{1}", "\u{7F}", "\u{FF}", "ÿ", "Ω", "\u{2126}", "가", "\u{1100}\u{1161}", "\u{11A8}",
    "👩‍👩‍👧", "🇫🇷", "🇩🇪", "😀",
    "\u{FFFF}",
    "\u{10FFFF}", "\u{D7FF}", "\u{0958}", "\u{1F82}", "ﬁ",
  ]

  private static let stems = [
    "", "x", String(repeating: "a", count: 393), String(repeating: "a", count: 394), String(repeating: "a", count: 395),
    String(repeating: "a", count: 396), String(repeating: "é", count: 198), String(repeating: "\u{0}", count: 198),
    "a" + String(repeating: "\u{0}", count: 197), String(repeating: "e\u{301}", count: 197),
    String(repeating: "q", count: 1000), String(repeating: "😀", count: 98),
  ]

  static func text(_ random: inout SeededGenerator) -> String {
    var text = Bool.random(using: &random) ? "" : stems.randomElement(using: &random) ?? ""
    for _ in 0..<Int.random(in: 0...3, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
    return text
  }

  static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    let length = [0, 1, 2, 3, 395, 396, 397, 1000].randomElement(using: &random) ?? 0
    var bytes = [UInt8](repeating: [0, 7, 255].randomElement(using: &random) ?? 0, count: length)
    if length > 0, Bool.random(using: &random) {
      bytes[Int.random(in: 0..<length, using: &random)] = [0, 1, 254, 255].randomElement(using: &random) ?? 0
    }
    return bytes
  }

  static func number(_ random: inout SeededGenerator) -> Double {
    let special = [
      0, -0.0, 1, -1, .infinity, -.infinity, .nan, -Double.nan, .signalingNaN, .leastNonzeroMagnitude,
      -.leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0.1, -0.1,
    ]
    return Bool.random(using: &random)
      ? special.randomElement(using: &random) ?? 0 : Double(bitPattern: random.next())
  }

  /// One that may be a column of an index over several properties.
  static func column(_ random: inout SeededGenerator) -> PropertyValue {
    let value = value(&random)
    if case .blob = value { return column(&random) }
    return value
  }

  static func value(_ random: inout SeededGenerator) -> PropertyValue {
    switch Int.random(in: 0..<17, using: &random) {
    case 0: .null
    case 1: .bool(Bool.random(using: &random))
    case 2: .int([0, 1, -1, .min, .max].randomElement(using: &random) ?? 0)
    case 3: .int(Int64(truncatingIfNeeded: random.next()))
    case 4: .unsigned([0, 1, .max, 1 << 63].randomElement(using: &random) ?? 0)
    case 5: .double(number(&random))
    case 6: .date(number(&random))
    case 7: .uuid(UniqueID(high: random.next(), low: random.next()))
    case 16:
      .blob(
        Blob(
          byteCount: Int.random(in: 0...3, using: &random),
          words: (random.next() & 1, random.next() & 1, random.next() & 1, random.next() & 1)))
    case 8: .reference(AnyObjectID(EntityName("Item"), UniqueID(high: random.next() & 3, low: random.next())))
    case 9, 10: .bytes(bytes(&random))
    default: .string(text(&random))
    }
  }
}
