import RepriseObjectModel

extension Field where Value == String {
  /// Holds where the text has the words of a search: `$0.body.contains(words: "rest kill")`.
  ///
  /// A word is a run of letters, marks and digits, and everything else separates: "don't" is two words. Case and
  /// diacritics are ignored, as are soft hyphens and joiners: "Straße" is found by "strasse", "Ångström" by "angstrom".
  /// Of a word of more than 128 bytes of UTF-8 only these count. These are the rules of SQLite's tokenizer `unicode61`,
  /// but for upper case that has more letters than lower case, and for characters to ignore.
  ///
  /// Scripts that put no spaces between words (Chinese characters, kana, Thai, Lao, Khmer and others) are searched by
  /// characters: those that the search has next to each other must be next to each other in the text.
  ///
  /// A search without any word asks for nothing, so it holds of every object, one without a text included, as a list
  /// below an empty search field wants it; ``WordMatch/anyWord`` holds of none.
  ///
  /// Served by the attribute's search index (`@Attribute(.searchable)`), in any order of the words: the rarest one
  /// leads, and costs a step for each of its texts, up to the limit of a fetch in order of birth. A beginning costs as
  /// many steps as there are words with it in texts. Without such an index every text is read.
  public func contains(words text: String, _ match: WordMatch = .allWords) -> Condition<Model> {
    Condition(.text(term, match.test, text, []))
  }
}
