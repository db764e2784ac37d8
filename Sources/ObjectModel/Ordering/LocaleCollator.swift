import RepriseSystem

/// Makes the keys that sort texts in the order of a locale.
package final class LocaleCollator: Sendable {
  /// A letter of the alphabet, as a section of lists.
  package struct Letter: Sendable {
    package let name: String
    /// The least key of a text that belongs to the letter: the UTF-8 of the result of ``LocaleCollator/key(of:)``.
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
  ///   - key: Returns bytes that sort as the texts do. No byte is 0. Canonically equivalent texts have the same bytes.
  package init(
    version: UInt32, letters: [(name: String, key: [UInt8])], key: @escaping @Sendable (String) -> [UInt8]
  ) {
    self.version = version
    self.key = key
    emptyKey = key("")
    self.letters = letters.map { Letter(name: $0.name, key: Array(Self.text($0.key).utf8)) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// A text whose binary order equals the order of `text`. Empty if the order ignores `text`.
  package func key(of text: String) -> String {
    let bytes = key(text)
    return bytes == emptyKey ? "" : Self.text(bytes)
  }

  /// The text whose scalars have the values of these bytes. Such a text is its own composed form, and sorts as the
  /// bytes do.
  private static func text(_ bytes: [UInt8]) -> String {
    String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }
}

/// Makes the collator of a locale with these rules. `nil` if the program has no orders of languages, or lacks this one.
///
/// The core has no tables of languages. If the module `RepriseLocales` is linked, it replaces this function by its own.
/// So stores and archives find the orders, although the program does not register them.
dynamic package func makeLocaleCollator(_ locale: String, _ rules: Collation.Rules) -> LocaleCollator? { nil }

extension Collation {
  /// The collator of a collation with a locale. `nil` if its order is unknown, or if it has no locale.
  package var collator: LocaleCollator? {
    if locale == .none { return nil }
    return Self.collators.withLock { collators in
      if let known = collators.first(where: { $0.collation == self }) { return known.collator }
      let collator = makeLocaleCollator(locale.string, rules)
      collators.append(Made(self, collator))
      return collator
    }
  }

  /// The next step if ``isKnown`` is false.
  package static let adviceOnLocales =
    "Correct the locale, or import RepriseLocales, which has the orders of languages, but only on Linux."

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
