import RepriseObjectModel

/// Tests of texts, scalar by scalar of the composed forms, so that it makes no difference how an accent was typed. None
/// of them holds of nil.
extension Field where Value == String {
  /// This field with its texts in another order, in which others count as the same:
  ///
  /// ```swift
  /// Fetch<Item> { $0.name.collated(.ignoringCase) == "red chair" }
  ///   .sorted { $0.name.collated([.ignoringCase, .natural]) }
  /// ```
  ///
  /// What sorts, compares, groups, and makes sections takes the collation over; what reads values reads them as they
  /// are. Texts that count as the same are in order of birth. Between two fields, that of the left one counts, unless
  /// it is binary. Tests of texts (`hasPrefix` and its like) ignore what the collation ignores, and read no numbers.
  ///
  /// An index of the same collation serves all of this; `==` and `isIn` also one that ignores more.
  public func collated(_ collation: Collation) -> Field { Field(term.collated(collation)) }

  /// Holds where the text begins with this one: "École" begins with "É", and not with "E". Every text begins with the
  /// empty one. An index serves it, with options one whose collation ignores the same.
  public func hasPrefix(_ prefix: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .hasPrefix, prefix, options))
  }

  /// Holds where the text ends with this one. Every text ends with the empty one.
  public func hasSuffix(_ suffix: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .hasSuffix, suffix, options))
  }

  /// Holds where this text is part of the attribute's. The empty one is part of every text.
  public func contains(_ part: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .contains, part, options))
  }

  /// Holds where the text is this one, but for what the options ignore: `$0.name.equals("ada", .ignoringCase)`. Its
  /// complement, `!$0.name.equals(…)`, holds of nil as well.
  public func equals(_ text: String, _ options: TextOptions) -> Condition<Model> {
    Condition(.text(term, .equals, text, options))
  }

  /// Holds where the whole text fits a pattern with wildcards: `?` stands for one character, `*` for any number of
  /// them, none included, and a backslash makes the next character an ordinary one. These are the wildcards of Core
  /// Data's `LIKE` (Apple, Predicate Format String Syntax), not SQL's `_` and `%`. A character is a Unicode scalar of
  /// the composed form.
  ///
  /// O(length of the text × length of the pattern) at worst; an index serves what stands before the first wildcard. A
  /// pattern that ends with a single backslash is a
  /// ``FetchError/invalidPattern(pattern:offset:reason:)`` when the fetch runs.
  public func like(_ pattern: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .like, pattern, options))
  }

  /// Holds where the whole text fits a regular expression, as with Core Data's `MATCHES`; write `.*` around it to look
  /// for a part.
  ///
  /// | syntax | fits |
  /// |---|---|
  /// | `.` | a character, but for line breaks (U+000A-U+000D, U+0085, U+2028, U+2029) |
  /// | `[a-z_]`, `[^0-9]` | a character among these, and one that is not; `\d` and its like may stand within |
  /// | `\d`, `\w`, `\s`, `\D`, `\W`, `\S` | a decimal digit; a letter, mark, digit or `_`; white space; all others |
  /// | `\t`, `\n`, `\r`, `\f`, `\xhh`, `\uhhhh`, `\u{h…}` | this character |
  /// | `\` before punctuation | that very character |
  /// | `ab`, `a\|b`, `(a)`, `(?:a)` | one after the other, one of two, a group |
  /// | `a*`, `a+`, `a?`, `a{2}`, `a{2,}`, `a{2,5}` | repetitions; a `?` behind one changes nothing |
  /// | `^`, `$`, `\b`, `\B` | the text's beginning, its end, the edge of a word, and no edge |
  ///
  /// An index serves the characters that the expression begins with, up to its first choice: of `title 29.*` all that
  /// begins with "title 29".
  ///
  /// A character is a Unicode scalar of the composed form. Backreferences and assertions ahead or behind are not
  /// supported, so the cost has a bound: O(length of the text × size of the expression), whatever the expression is.
  /// One that is not of this form, or larger than 2,000 steps with its repetitions written out, is a
  /// ``FetchError/invalidPattern(pattern:offset:reason:)`` when the fetch runs.
  public func matches(_ pattern: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .matches, pattern, options))
  }
}
