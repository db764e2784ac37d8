import RepriseObjectModel

extension AttributeRule where Value == String {
  /// A rule that a regular expression matches the whole text.
  ///
  /// The syntax is the same as for `matches` of ``Field``. If the expression is not valid, opening a store with the
  /// model throws `StoreError.schema`. Checking a text takes time in proportion to the length of the text times the
  /// length of the expression.
  public static func pattern(_ pattern: String) -> AttributeRule {
    do throws(PatternError) {
      let expression = try RegularExpression(ComposedText.composed(pattern), ignoringCase: false)
      return .pattern(pattern, problem: nil) { text in
        var text = ComposedText.composed(text)
        return text.withUTF8(expression.matches)
      }
    } catch {
      return .pattern(
        pattern,
        problem: "the regular expression '\(pattern)' is not valid at character \(error.offset): \(error.reason)"
      ) { _ in true }
    }
  }
}
