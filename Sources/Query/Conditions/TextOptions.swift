import RepriseObjectModel

/// Options for comparing texts.
public struct TextOptions: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: UInt8

  /// Makes options from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Ignores case with Unicode's full case folding, independent of language: "straße" equals "STRASSE", and "ς" equals
  /// "σ".
  ///
  /// `like` matches the folded text, so "ß" counts as two characters there. `matches` compares lower-case letters
  /// instead.
  public static let ignoringCase = TextOptions(rawValue: 1)

  /// Ignores accents and other diacritics: "é" equals "e", "Å" equals "A", and "ё" equals "е".
  ///
  /// The rule takes the canonical decomposition (NFD), drops every nonspacing mark (category Mn) with a combining class
  /// above 9, and composes the rest (NFC). The language has no influence. Marks that are part of a letter therefore
  /// stay: viramas, nuktas, the voicing marks of kana, and Indic and Thai vowels. Letters without a decomposition also
  /// stay, such as "ø" and "ł".
  public static let ignoringDiacritics = TextOptions(rawValue: 2)

  /// The collation that ignores the same differences as a text test with these options.
  package var collation: Collation {
    var collation = Collation.binary
    if contains(.ignoringCase) { collation = collation.union(.ignoringCase) }
    if contains(.ignoringDiacritics) { collation = collation.union(.ignoringDiacritics) }
    return collation
  }

  /// The options that ignore the same differences as a collation. Numbers are not part of the options.
  package init(_ collation: Collation) {
    self = []
    if collation.rules.contains(.ignoringCase) { insert(.ignoringCase) }
    if collation.rules.contains(.ignoringDiacritics) { insert(.ignoringDiacritics) }
  }

  /// Compares grapheme clusters instead of scalars, as Swift's `contains` and `starts(with:)` do. So "x\u{301}e\u{301}"
  /// does not contain "e", and "\r\n" does not contain "\n". Only for `hasPrefix` and `contains`, without other
  /// options.
  package static let byCharacter = TextOptions(rawValue: 4)

  private static let known: TextOptions = [.ignoringCase, .ignoringDiacritics]
}

extension TextOptions: Codable {
  /// Decodes the bits. Throws `DecodingError.dataCorrupted` for an option that this version does not know.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(rawValue: try container.decode(UInt8.self))
    guard isSubset(of: Self.known) || self == .byCharacter else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "an unknown text option")
    }
  }

  /// Encodes the bits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
