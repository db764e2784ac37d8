import RepriseObjectModel

/// Tests of texts, which compare the scalars of the composed forms. So it does not matter how an accent was typed.
///
/// No test holds for `nil`.
extension Field where Value == String {
  /// This field with another collation, which changes the order of its texts and which texts are equal.
  ///
  /// ```swift
  /// Fetch<Item> { $0.name.collated(.ignoringCase) == "red chair" }
  ///   .sorted { $0.name.collated([.ignoringCase, .natural]) }
  /// ```
  ///
  /// Sort keys, comparisons, groups and sections use the collation. Reading the field still returns the original text.
  /// Texts that compare equal are sorted by creation. A comparison of two fields uses the collation of the left field,
  /// or of the right field if the left one has the binary collation. Text tests such as `hasPrefix` ignore case or
  /// diacritics if the collation does, but do not compare numbers by size.
  ///
  /// An index with the same collation serves all of these. For `==` and `isIn`, an index with a collation that ignores
  /// more also works.
  public func collated(_ collation: Collation) -> Field { Field(term.collated(collation)) }

  /// Holds if the text begins with `prefix`.
  ///
  /// Every text begins with the empty one. Does not hold for `nil`. For example, "École" begins with "É" but not with
  /// "E". A fetch uses an index on the attribute. With options, the index needs a collation that ignores the same.
  public func hasPrefix(_ prefix: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .hasPrefix, prefix, options))
  }

  /// Holds if the text ends with `suffix`. Every text ends with the empty one. Does not hold for `nil`.
  public func hasSuffix(_ suffix: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .hasSuffix, suffix, options))
  }

  /// Holds if the attribute's text contains this one. Every text contains the empty one. Does not hold for `nil`.
  public func contains(_ part: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .contains, part, options))
  }

  /// Holds if the text equals this one with the options applied: `$0.name.equals("ada", .ignoringCase)`.
  ///
  /// The test does not hold for `nil`. The complement, `!$0.name.equals(…)`, does.
  public func equals(_ text: String, _ options: TextOptions) -> Condition<Model> {
    Condition(.text(term, .equals, text, options))
  }

  /// Holds if a pattern with wildcards matches the whole text.
  ///
  /// Does not hold for `nil`. `?` matches one character, and `*` matches any number of characters, including none. A
  /// backslash makes the next character an ordinary one. The wildcards are the same as in Core Data's `LIKE` (Apple,
  /// Predicate Format String Syntax), not SQL's `_` and `%`. A character is a Unicode scalar of the composed form.
  ///
  /// The worst case takes O(length of the text × length of the pattern). An index serves the part before the first
  /// wildcard. If a pattern ends with a single backslash, the fetch throws
  /// ``FetchError/invalidPattern(pattern:offset:reason:)`` when it runs.
  public func like(_ pattern: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .like, pattern, options))
  }

  /// Holds if a regular expression matches the whole text, as in Core Data's `MATCHES`.
  ///
  /// Does not hold for `nil`. To search for a part of the text, write `.*` around the expression.
  ///
  /// | syntax | fits |
  /// |---|---|
  /// | `.` | any character except line breaks (U+000A-U+000D, U+0085, U+2028, U+2029) |
  /// | `[a-z_]`, `[^0-9]` | one character of this set, or one outside it. A set may contain `\d`, `\w` and `\s` |
  /// | `\d`, `\w`, `\s` | a decimal digit, a letter, mark, digit or `_`, white space |
  /// | `\D`, `\W`, `\S` | any character that does not fit the same letter in lower case |
  /// | `\t`, `\n`, `\r`, `\f`, `\xhh`, `\uhhhh`, `\u{h…}` | this character |
  /// | `\` before punctuation | the punctuation character itself |
  /// | `ab`, `a\|b`, `(a)`, `(?:a)` | a sequence, a choice, a group |
  /// | `a*`, `a+`, `a?`, `a{2}`, `a{2,}`, `a{2,5}` | repetitions. A further `?` (lazy repetition) has no effect |
  /// | `^`, `$`, `\b`, `\B` | the beginning of the text, its end, the edge of a word, any other place |
  ///
  /// A character is a Unicode scalar of the composed form. Backreferences, lookahead and lookbehind are not supported.
  /// The cost of any expression is therefore bounded: O(length of the text × size of the expression).
  ///
  /// An index serves the characters at the beginning of the expression, up to its first choice. For example,
  /// `title 29.*` reads only the texts that begin with "title 29".
  ///
  /// The expression must have this syntax, and at most 2,000 steps with its repetitions written out. Otherwise, the
  /// fetch throws ``FetchError/invalidPattern(pattern:offset:reason:)`` when it runs.
  public func matches(_ pattern: String, _ options: TextOptions = []) -> Condition<Model> {
    Condition(.text(term, .matches, pattern, options))
  }
}
