import RepriseObjectModel

extension Field where Value == String {
  /// Holds if the text contains the words of a search: `$0.body.contains(words: "rest kill")`.
  ///
  /// A word is a run of letters, marks and digits. All other characters separate words, so "don't" is two words. Case,
  /// diacritics, soft hyphens and joiners are ignored: "strasse" finds "Straße", and "angstrom" finds "Ångström". Only
  /// the first 128 bytes of UTF-8 of a word count. Otherwise, words are the same as in SQLite's tokenizer `unicode61`,
  /// which does not skip soft hyphens and joiners, and does not fold "ß" to "ss".
  ///
  /// Scripts without spaces between words, such as Chinese characters, kana, Thai, Lao and Khmer, are searched by
  /// character. Characters that are adjacent in the search must be adjacent in the text.
  ///
  /// A search without any word holds for every object, even an object without a text. A list with an empty search field
  /// then shows all objects. With ``WordMatch/anyWord``, an empty search holds for no object.
  ///
  /// If the attribute has a search index (`@Attribute(.searchable)`), the search takes a step for each text that
  /// contains the rarest of the words. A fetch with a limit stops early if it is in order of creation. A search for the
  /// beginning of a word takes a step for each occurrence of a word with that beginning. Without a search index, the
  /// fetch reads every text.
  public func contains(words text: String, _ match: WordMatch = .allWords) -> Condition<Model> {
    Condition(.text(term, match.test, text, []))
  }
}
