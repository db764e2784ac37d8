import RepriseObjectModel

extension Field where Value == String {
  /// Holds if the text contains the words of a search: `$0.body.contains(words: "rest kill")`.
  ///
  /// A word is a run of letters, marks and digits. All other characters separate words, so "don't" is two words. Case,
  /// diacritics, soft hyphens and joiners are ignored: "strasse" finds "Straße", and "angstrom" finds "Ångström". Only
  /// the first 128 bytes of UTF-8 of a word count. The rules are the same as in SQLite's tokenizer `unicode61`, except
  /// for upper case that has more letters than lower case, and for ignored characters.
  ///
  /// Scripts without spaces between words, such as Chinese characters, kana, Thai, Lao and Khmer, are searched by
  /// character. Characters that are adjacent in the search must be adjacent in the text.
  ///
  /// A search without any word holds for every object, even an object without a text. A list with an empty search field
  /// then shows all objects. With ``WordMatch/anyWord``, an empty search holds for no object.
  ///
  /// The attribute's search index (`@Attribute(.searchable)`) serves the search, whatever the order of the words. The
  /// search takes a step for each text with the rarest word, up to the limit of a fetch in order of birth. The
  /// beginning of a word takes a step for each occurrence of a word with that beginning. Without a search index, every
  /// text is read.
  public func contains(words text: String, _ match: WordMatch = .allWords) -> Condition<Model> {
    Condition(.text(term, match.test, text, []))
  }
}
