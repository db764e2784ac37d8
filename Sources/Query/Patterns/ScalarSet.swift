/// A set of scalars that a regular expression allows at one place.
struct ScalarSet: Hashable, Sendable {
  /// The classes of Unicode's UTS #18, Annex C.
  enum Class: Hashable, Sendable {
    /// `\d`: General_Category Nd.
    case digit
    /// `\w`: alphabetic, a mark, a decimal digit, connector punctuation, or a joiner.
    case word
    /// `\s`: White_Space.
    case space

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      if scalar.isASCII {
        let letter = scalar.value | 0x20
        return switch self {
        case .digit: (0x30...0x39).contains(scalar.value)
        case .word: (0x61...0x7A).contains(letter) || (0x30...0x39).contains(scalar.value) || scalar == "_"
        case .space: scalar == " " || (9...13).contains(scalar.value)
        }
      }
      let properties = scalar.properties
      switch self {
      case .digit: return properties.generalCategory == .decimalNumber
      case .space: return properties.isWhitespace
      case .word:
        if properties.isAlphabetic || properties.isJoinControl { return true }
        return switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
        default: false
        }
      }
    }
  }

  struct Member: Hashable, Sendable {
    let kind: Class
    let isNegated: Bool
  }

  private var ranges: [ClosedRange<UInt32>] = []
  private var classes: [Member] = []
  var isNegated = false
  /// Whether the texts are in lower case, so that the case of the set is ignored.
  private let ignoresCase: Bool

  init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

  /// The set of `.`: all but line breaks.
  static var anyButLineBreaks: ScalarSet {
    var set = ScalarSet(ignoresCase: false)
    for range in [0x0A...0x0D, 0x85...0x85, 0x2028...0x2029] as [ClosedRange<UInt32>] { set.insert(range) }
    set.isNegated = true
    return set
  }

  mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  mutating func insert(_ kind: Class, isNegated: Bool) { classes.append(Member(kind: kind, isNegated: isNegated)) }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    if holds(scalar) { return !isNegated }
    if ignoresCase {
      let upper = scalar.properties.uppercaseMapping.unicodeScalars
      if upper.count == 1, let upper = upper.first, upper != scalar, holds(upper) { return !isNegated }
    }
    return isNegated
  }

  private func holds(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) } || classes.contains { $0.kind.contains(scalar) != $0.isNegated }
  }
}
