public import RepriseObjectModel

extension Collation {
  /// The order of a locale's language, as in its dictionaries: in Swedish "ö" sorts behind "z", in German with "o".
  /// Case, accents and punctuation count where texts are the same otherwise.
  ///
  /// ```swift
  /// @Attribute(.indexed(.locale("sv"))) var name: String
  /// let swedish = Collation.locale("sv")
  /// Fetch<Person>().sorted { $0.name.collated(swedish) }.sectioned { $0.name.collated(swedish).firstCharacter() }
  /// ```
  ///
  /// With `.ignoringCase`, `.ignoringDiacritics` or both, as in `[.locale("sv"), .ignoringCase]`, what they ignore does
  /// not count at all; a letter with a mark that is a letter of its own in the language stays one. With `.natural`,
  /// numbers sort by size.
  ///
  /// The order is that of the ICU library which the toolchain's Foundation has. Indexes remember its version: a store
  /// that a program with another one opens sorts them anew, at O(n log n), and programs of two versions cannot have it
  /// open at once (`StoreError.otherLocaleOrder`). A program with an index in the order of the user's language declares
  /// another one when that changes, and the store keeps the old one as well: sort such lists without an index.
  ///
  /// A key is made in about a microsecond. Where there is no public ICU, as on Apple's platforms, and where the locale
  /// is not known, opening a store with such an index throws `SchemaError.unknownLocale`, and a fetch
  /// `FetchError.unknownLocale`.
  ///
  /// - Parameter identifier: A BCP 47 language tag or ICU locale identifier: "sv", "pt-BR", "de-u-co-phonebk". What has
  ///   no bearing on the order, as a calendar, is passed over; for strength and numbers use the other collations.
  public static func locale(_ identifier: String) -> Collation {
    Collation([], locale: LocaleName(languageTag(of: identifier)))
  }
}
