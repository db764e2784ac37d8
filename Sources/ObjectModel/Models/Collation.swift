/// The order of texts, and which of them count as the same: ``binary``, or what is ignored and how numbers are read, as
/// in `$0.name.collated([.ignoringCase, .natural])`.
///
/// In no particular language: "Ä" sorts behind "Z" unless diacritics are ignored. The module `RepriseLocales` has the
/// orders of languages, as `.locale("sv")`.
public struct Collation: Hashable, Sendable, ExpressibleByArrayLiteral {
  package let rules: Rules
  /// The locale whose language has the order; ``LocaleName/none`` for an order in no language.
  package let locale: LocaleName

  package struct Rules: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let ignoringCase = Rules(rawValue: 1)
    package static let ignoringDiacritics = Rules(rawValue: 2)
    package static let natural = Rules(rawValue: 4)

    /// The names in stores and archives: never change one. In the order in which they are written.
    fileprivate static let names: [(rule: Rules, name: String)] = [
      (.ignoringCase, "ignoringCase"), (.ignoringDiacritics, "ignoringDiacritics"), (.natural, "natural"),
    ]
  }

  package init(_ rules: Rules, locale: LocaleName = .none) {
    self.rules = rules
    self.locale = locale
  }

  /// By the Unicode scalars of the composed form: what texts are sorted by unless a fetch says otherwise.
  public static let binary = Collation([] as Rules)

  /// Ignores case, by Unicode's full case folding, in no particular language: "straße" is "STRASSE".
  public static let ignoringCase = Collation(.ignoringCase as Rules)

  /// Ignores accents and other diacritics: "é" is "e", "Å" is "A". "ø" and "ł" are letters of their own.
  public static let ignoringDiacritics = Collation(.ignoringDiacritics as Rules)

  /// Reads digits as numbers, so that "item 9" comes before "item 10". Every run of decimal digits, of any script
  /// (Unicode's category Nd) and of any length, is its number, so "007" is "7". A number sorts among other characters
  /// as an ASCII digit does. As with ICU's numeric ordering, there are no signs, points or exponents.
  public static let natural = Collation(.natural as Rules)

  /// Several at once: `[.ignoringCase, .natural]`. ``binary`` if there is none; of several locales the first counts.
  public init(arrayLiteral collations: Collation...) {
    self = collations.reduce(.binary) { $0.union($1) }
  }

  package func union(_ other: Collation) -> Collation {
    Collation(rules.union(other.rules), locale: locale == .none ? other.locale : locale)
  }

  private static let localePrefix = "locale:"

  /// What stands for it in a store and in archives: the names of its rules, joined by `+`, and the locale behind them.
  /// Empty for ``binary``.
  package var name: String {
    if self == .binary { return "" }
    var parts = Rules.names.filter { rules.contains($0.rule) }.map(\.name)
    if locale != .none { parts.append(Self.localePrefix + locale.string) }
    return parts.joined(separator: "+")
  }

  /// `nil` for a collation that this version does not know, and for a name that it does not write. Any locale may be
  /// named; ``isKnown`` tells whether its order is known.
  package init?(name: String) {
    var rules: Rules = []
    var locale = LocaleName.none
    for part in name.split(separator: "+", omittingEmptySubsequences: false) where !name.isEmpty {
      if let rule = Rules.names.first(where: { $0.name == part })?.rule {
        rules.insert(rule)
      } else if part.hasPrefix(Self.localePrefix) {
        locale = LocaleName(String(part.dropFirst(Self.localePrefix.count)))
      } else {
        return nil
      }
    }
    self.init(rules, locale: locale)
    guard self.name == name else { return nil }
  }
}

extension Collation: Codable {
  /// Reads what ``encode(to:)`` wrote; throws `DecodingError.dataCorrupted` for a collation that this version does not
  /// have. A locale whose order the program does not know is refused when it is used.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let known = Collation(name: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "an unknown collation")
    }
    self = known
  }

  /// Writes the names of its rules, joined by `+`, and its locale.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

extension Collation: CustomStringConvertible {
  /// The collation as it is written in Swift.
  public var description: String {
    var parts = Rules.names.filter { rules.contains($0.rule) }.map { "." + $0.name }
    if locale != .none { parts.append(".locale(\"\(locale.string)\")") }
    return switch parts.count {
    case 0: ".binary"
    case 1: parts[0]
    default: "[" + parts.joined(separator: ", ") + "]"
    }
  }
}
