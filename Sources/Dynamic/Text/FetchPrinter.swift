import RepriseObjectModel
import RepriseQuery

extension ParsedFetch {
  /// The text, which is the same for equal contents.
  var text: String {
    var parts = entity.isEmpty ? [] : [FetchWord.written(entity)]
    if steps != [.constant(true)] { parts.append("where \(InfixText.written(steps.map(\.form)))") }
    if !keys.isEmpty { parts.append("order by \(keys.map(\.text).joined(separator: ", "))") }
    if let section { parts.append("section by \(section.text)") }
    if let limit { parts.append("limit \(limit)") }
    if offset != 0 { parts.append("offset \(offset)") }
    switch moment {
    case .position(let position)?: parts.append("@\(position)")
    case .microseconds(let microseconds)?: parts += ["as", "of", DateText.written(microseconds: microseconds)]
    case nil: break
    }
    return parts.joined(separator: " ")
  }
}

extension ParsedFetch.Key {
  fileprivate var text: String {
    let isUsual = isAscending == (nils == .first)
    return term.text + (isAscending ? "" : " desc") + (isUsual ? "" : " nulls \(nils.rawValue)")
  }
}

extension ParsedFetch.Section {
  fileprivate var text: String {
    let key =
      switch function {
      case .value: term.text
      case .firstCharacter: "first(\(term.text))"
      case .day(let offset): "day(\(term.text), \(offset))"
      }
    return rule.map { "rule(\(QuotedText.written($0, in: "\"")), \(key))" } ?? key
  }
}

/// How tightly operators bind. The parser has the same numbers.
enum Binding {
  static let or = 1, and = 2, not = 3, comparison = 4, sum = 5, product = 6, negation = 7
}

extension Step {
  fileprivate var form: InfixText.Form {
    switch self {
    case .constant(let value): .operand(value ? "true" : "false")
    case .compare(let term, let comparison, let value): .comparison(term, comparison, value)
    case .compareTerms(let left, let comparison, let right):
      .operand("\(left.text) \(comparison.rawValue) \(right.text)")
    case .isIn(let term, let values):
      .operand("\(term.text) in (\(values.map(ValueText.written).joined(separator: ", ")))")
    case .text(let term, let test, let text, let options):
      .operand("\(term.text) \(test.word)\(options.text) \(QuotedText.written(text, in: "\""))")
    case .not: .prefix("not ", binding: Binding.not)
    case .and: .between(" and ", binding: Binding.and)
    case .or: .between(" or ", binding: Binding.or)
    case .any(let path): .around("any \(Term.text(ofPath: path)) where (", ")")
    case .all(let path): .around("all \(Term.text(ofPath: path)) where (", ")")
    }
  }
}

extension InfixText.Form {
  fileprivate static func comparison(_ term: Term, _ comparison: Comparison, _ value: PropertyValue) -> Self {
    switch (comparison, value) {
    case (.equal, .null): .operand("\(term.text) is nil")
    case (.notEqual, .null): .operand("\(term.text) is not nil")
    default: .operand("\(term.text) \(comparison.rawValue) \(ValueText.written(value))")
    }
  }
}

extension TextTest {
  var word: String {
    switch self {
    case .hasPrefix: "begins"
    case .hasSuffix: "ends"
    default: rawValue
    }
  }
}

extension TextOptions {
  fileprivate var text: String {
    TextRules.written(collation.textRules + (contains(.byCharacter) ? ["bycharacter"] : []))
  }
}

extension Term {
  fileprivate static func text(ofPath path: [String]) -> String {
    path.isEmpty ? "id" : path.map(FetchWord.written).joined(separator: ".")
  }

  var text: String {
    guard isComputed else {
      let path = Term.text(ofPath: path)
      return (isCount ? "count(\(path))" : path) + TextRules.written(collation.textRules)
    }
    let text = InfixText.written(computation.map(\.form))
    return computation.count == 1 ? "computed(\(text))" : text
  }
}

extension ComputationStep {
  fileprivate var form: InfixText.Form {
    switch self {
    case .read(let term): .operand(term.text)
    case .constant(let value): .operand(ValueText.written(value))
    case .unary(.negate): .around("-(", ")")
    case .unary(.asDouble): .around("double(", ")")
    case .binary(let operation):
      .between(
        " \(operation.rawValue) ",
        binding: operation == .add || operation == .subtract ? Binding.sum : Binding.product)
    }
  }
}

/// The rules in brackets after a text or a test: `[nocase, locale "sv"]`.
enum TextRules {
  static func written(_ rules: [String]) -> String { rules.isEmpty ? "" : "[\(rules.joined(separator: ", "))]" }
}

extension Collation {
  fileprivate var textRules: [String] {
    var found: [String] = []
    if rules.contains(.ignoringCase) { found.append("nocase") }
    if rules.contains(.ignoringDiacritics) { found.append("nodiacritic") }
    if rules.contains(.natural) { found.append("natural") }
    if locale != .none { found.append("locale \(QuotedText.written(locale.string, in: "\""))") }
    return found
  }
}
