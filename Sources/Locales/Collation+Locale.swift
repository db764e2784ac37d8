public import RepriseObjectModel

extension Collation {
  /// Returns the order of a locale's language, as in its dictionaries.
  ///
  /// In Swedish, for example, "ö" sorts after "z", and in German with "o". Case and accents count only between texts
  /// that are otherwise the same. In most languages, spaces and punctuation precede digits and letters.
  ///
  /// ```swift
  /// @Attribute(.indexed(.locale("sv"))) var name: String
  /// let swedish = Collation.locale("sv")
  /// Fetch<Person>().sorted { $0.name.collated(swedish) }.sectioned { $0.name.collated(swedish).firstCharacter() }
  /// ```
  ///
  /// `.ignoringCase` and `.ignoringDiacritics`, as in `[.locale("sv"), .ignoringCase]`, ignore these differences
  /// completely. If a language counts a letter with a mark as a separate letter, such as "ö" in Swedish, it stays
  /// distinct. With `.natural`, numbers sort by value.
  ///
  /// The order comes from the ICU library of the toolchain's Foundation, and indexes record its version. A program with
  /// another version sorts the indexes of a store again when it opens the store, in O(n log n). Programs with two
  /// versions cannot open a store at the same time: the second one throws `StoreError.localeVersionMismatch`.
  ///
  /// If an index uses the language of the user, a change of that language declares a new index, and the store keeps the
  /// old one. Sort such lists without an index.
  ///
  /// Making the order key of a text takes about a microsecond. A store with an index in this order does not open if the
  /// locale is unknown. The same is true if the program has no public ICU, as on Apple platforms. Opening throws
  /// `StoreError.schema` with `SchemaError.unknownLocale`. A fetch in this order throws `FetchError.unknownLocale`.
  ///
  /// - Parameter identifier: A BCP 47 language tag or an ICU locale identifier, such as "sv", "pt-BR" or
  ///   "de-u-co-phonebk". Parts without influence on the order, such as a calendar, are ignored. For strength and
  ///   numbers, use other collations.
  public static func locale(_ identifier: String) -> Collation {
    Collation([], locale: LocaleName(languageTag(of: identifier)))
  }
}
