/// The rules that order texts and define equal texts, as in `$0.name.collated([.ignoringCase, .natural])`.
///
/// These rules are independent of language. For example, "Ä" sorts after "Z" unless diacritics are ignored. The module
/// `RepriseLocales` has the orders of languages, such as `.locale("sv")`.
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

    /// The names in stores and archives, in the order of writing. Never change one.
    fileprivate static let names: [(rule: Rules, name: String)] = [
      (.ignoringCase, "ignoringCase"), (.ignoringDiacritics, "ignoringDiacritics"), (.natural, "natural"),
    ]
  }

  package init(_ rules: Rules, locale: LocaleName = .none) {
    self.rules = rules
    self.locale = locale
  }

  /// Orders texts by the Unicode scalars of their composed form, the default of a fetch.
  public static let binary = Collation([] as Rules)

  /// Ignores case with Unicode's full case folding, independent of language: "straße" equals "STRASSE".
  public static let ignoringCase = Collation(.ignoringCase as Rules)

  /// Ignores accents and other diacritics: "é" equals "e", and "Å" equals "A". "ø" and "ł" are separate letters.
  public static let ignoringDiacritics = Collation(.ignoringDiacritics as Rules)

  /// Compares digits as numbers, so that "item 9" comes before "item 10".
  ///
  /// Every run of decimal digits of any script (Unicode's category Nd) and any length is a number, so "007" equals "7".
  /// Among other characters, a number sorts like an ASCII digit. As in ICU's numeric ordering, there are no signs,
  /// decimal points or exponents.
  public static let natural = Collation(.natural as Rules)

  /// Combines collations, as in `[.ignoringCase, .natural]`.
  ///
  /// No collation means ``binary``. Of several locales, the first one counts.
  public init(arrayLiteral collations: Collation...) {
    self = collations.reduce(.binary) { $0.union($1) }
  }

  package func union(_ other: Collation) -> Collation {
    Collation(rules.union(other.rules), locale: locale == .none ? other.locale : locale)
  }

  private static let localePrefix = "locale:"

  /// The name in stores and archives: the names of its rules, joined by `+`, followed by the locale. Empty for
  /// ``binary``.
  package var name: String {
    if self == .binary { return "" }
    var parts = Rules.names.filter { rules.contains($0.rule) }.map(\.name)
    if locale != .none { parts.append(Self.localePrefix + locale.string) }
    return parts.joined(separator: "+")
  }

  /// Reads a ``name``. `nil` for a collation that this version does not know, and for a name that it would not write.
  /// Accepts any locale. ``isKnown`` is true if the order of the locale is known.
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
  /// Decodes a collation that ``encode(to:)`` wrote.
  ///
  /// Throws `DecodingError.dataCorrupted` if the decoded name is not the name of a collation. The call also decodes a
  /// locale whose order is unknown to this program. A fetch with that collation throws when it runs.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let known = Collation(name: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "an unknown collation")
    }
    self = known
  }

  /// Encodes the names of the rules, joined by `+`, and the locale.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

extension Collation: CustomStringConvertible {
  /// The collation in Swift syntax.
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
