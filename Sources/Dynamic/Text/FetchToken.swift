import RepriseObjectModel

/// A word, a literal or a sign of a text.
struct FetchToken {
  enum Kind: Equatable {
    /// A name or a keyword.
    case word(String)
    /// A name in backticks, which is never a keyword.
    case quoted(String)
    /// The digits of a number without a sign. Its type and size depend on the place.
    case number(String)
    case literal(PropertyValue)
    case sign(String)
    case end
  }

  let kind: Kind
  /// The bytes of the text.
  let range: Range<Int>
  /// The word in lower case, if it can be a keyword.
  let keyword: String?

  init(kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
    if case .word(let word) = kind, range.count <= Self.longestKeyword {
      keyword = word.lowercased()
    } else {
      keyword = nil
    }
  }

  private static let longestKeyword = 11

  func isKeyword(_ keyword: String) -> Bool { self.keyword == keyword }

  func isSign(_ sign: String) -> Bool { kind == .sign(sign) }

  var name: String? {
    switch kind {
    case .word(let name), .quoted(let name): name
    default: nil
    }
  }
}

enum FetchWord {
  /// The words that stand where a name can stand. A name that is equal to one has backticks.
  static let reserved: Set = [
    "where", "order", "section", "limit", "offset", "as", "not", "any", "all", "none", "true", "false", "nil", "null",
    "nan", "inf", "id",
  ]

  static func isStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.isASCII && scalar.properties.isAlphabetic
      || !scalar.isASCII && scalar.properties.isXIDStart
  }

  static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    isStart(scalar) || scalar.isASCII && scalar.properties.numericType != nil
      || !scalar.isASCII && scalar.properties.isXIDContinue
  }

  /// A name as it is written: plain if possible, otherwise in backticks.
  static func written(_ name: String) -> String {
    let scalars = name.unicodeScalars
    guard let first = scalars.first, isStart(first), scalars.allSatisfy(isPart), !reserved.contains(name.lowercased())
    else { return QuotedText.written(name, in: "`") }
    return name
  }
}
