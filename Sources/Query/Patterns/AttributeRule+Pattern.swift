import RepriseObjectModel

extension AttributeRule where Value == String {
  /// A text that matches a regular expression as a whole. The syntax is that of `matches` of ``Field``; an expression
  /// that is not valid is refused when a store is opened with the model, with `SchemaError.invalidRule`.
  ///
  /// Costs the length of the text times that of the expression, whatever they are.
  public static func pattern(_ pattern: String) -> AttributeRule {
    do throws(PatternError) {
      let expression = try RegularExpression(ComposedText.composed(pattern), ignoringCase: false)
      return .pattern(pattern, problem: nil) { text in
        var text = ComposedText.composed(text)
        return text.withUTF8(expression.matches)
      }
    } catch {
      return .pattern(
        pattern, problem: "the regular expression '\(pattern)' is not valid at \(error.offset): \(error.reason)"
      ) { _ in true }
    }
  }
}
