extension ComposedText {
  /// The text without differences of case. Two texts become canonically equivalent exactly if they are equal by
  /// Unicode's full case folding (the statuses C and F of CaseFolding.txt). The caller must compose the result.
  ///
  /// The standard library has no folding, but its full mappings make the same classes: lower case, then upper case,
  /// then lower case again. The only exception is the dotless "ı", whose upper case equals the upper case of "i".
  package static func foldingCase(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    // Case folding turns the combining iota below into a letter. So this mark must follow all other marks before the
    // folding.
    let text = String(String.UnicodeScalarView(decomposed(text)))
    let dotless: Unicode.Scalar = "\u{131}"
    guard text.unicodeScalars.contains(dotless) else { return folded(text) }
    let parts = text.unicodeScalars.split(separator: dotless, omittingEmptySubsequences: false)
    return parts.map { folded(String($0)) }.joined(separator: String(dotless))
  }

  private static func folded(_ text: String) -> String { text.lowercased().uppercased().lowercased() }
}
