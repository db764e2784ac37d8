import RepriseSystem

/// The order of a locale at work.
package final class LocaleCollator: Sendable {
  /// A letter by which lists are divided.
  package struct Letter: Sendable {
    package let name: String
    /// The least key of a text that belongs to the letter: the UTF-8 of what ``LocaleCollator/key(of:)`` makes.
    package let key: [UInt8]
  }

  /// Two collators of one collation with the same version make the same keys.
  package let version: UInt32
  /// The alphabet, ascending.
  package let letters: [Letter]
  private let key: @Sendable (String) -> [UInt8]
  private let emptyKey: [UInt8]

  /// - Parameters:
  ///   - letters: In any order.
  ///   - key: Bytes whose order is that of texts, none of them 0. The same for canonically equivalent texts.
  package init(
    version: UInt32, letters: [(name: String, key: [UInt8])], key: @escaping @Sendable (String) -> [UInt8]
  ) {
    self.version = version
    self.key = key
    emptyKey = key("")
    self.letters = letters.map { Letter(name: $0.name, key: Array(Self.text($0.key).utf8)) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// A text whose binary order is that of `text`; empty for one in which nothing counts.
  package func key(of text: String) -> String {
    let bytes = key(text)
    return bytes == emptyKey ? "" : Self.text(bytes)
  }

  /// The text whose characters have these numbers: its composed form is itself, and sorts as the bytes do.
  private static func text(_ bytes: [UInt8]) -> String {
    String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }
}

/// Makes the collator of a locale with these rules; `nil` if the program has no orders of languages, or not this one.
///
/// The core has no tables of languages. The module `RepriseLocales` puts its own function in the place of this one
/// where it is linked, so that a store and an archive find the orders that they name without the program's doing.
dynamic package func makeLocaleCollator(_ locale: String, _ rules: Collation.Rules) -> LocaleCollator? { nil }

extension Collation {
  /// What makes the keys of a collation with a locale; `nil` if its order is not known, or if it has none.
  package var collator: LocaleCollator? {
    if locale == .none { return nil }
    return Self.collators.withLock { collators in
      if let known = collators.first(where: { $0.collation == self }) { return known.collator }
      let collator = makeLocaleCollator(locale.string, rules)
      collators.append(Made(self, collator))
      return collator
    }
  }

  /// What to do where ``isKnown`` is false.
  package static let adviceOnLocales =
    "Correct the locale, or import RepriseLocales, which has the orders of languages on platforms with a public ICU."

  /// Whether this program can make its keys.
  package var isKnown: Bool { locale == .none || collator != nil }

  // A class: arrays of objects share their metadata, which exists when a process starts.
  private final class Made: Sendable {
    let collation: Collation
    let collator: LocaleCollator?

    init(_ collation: Collation, _ collator: LocaleCollator?) {
      self.collation = collation
      self.collator = collator
    }
  }

  private static let collators = Guarded<[Made]>([])
}
