/// A rule for the values of an attribute, as in `.range(0...120)`.
///
/// `nil` breaks no rule except ``required``. A save checks the rule after merging with other saves, so an invalid value
/// is never stored. If a value breaks the rule, the save throws `SaveError.refused`. Only inserted and changed
/// values are checked. The rule is not stored: the next launch may have another one, and programs without the rule do
/// not check it.
public struct AttributeRule<Value: AttributeValue>: Sendable {
  package let rule: ValueRule

  private init(
    _ rule: RuleViolation.Rule, problem: String? = nil, _ isKept: @escaping @Sendable (Value) -> Bool
  ) {
    self.rule = ValueRule(rule, problem: problem) { value in Value.from(value).map(isKept) ?? true }
  }

  /// The attribute has a value that is not `nil` and not an empty text.
  public static var required: AttributeRule { AttributeRule(ValueRule.required) }

  private init(_ rule: ValueRule) { self.rule = rule }

  /// A closure accepts the value.
  ///
  /// The closure runs on a thread of the library, while other saves wait.
  ///
  /// - Parameters:
  ///   - text: The rule as text for people: "a name begins with a letter".
  ///   - isKept: Returns whether a value keeps the rule.
  public static func valid(_ text: String, _ isKept: @escaping @Sendable (Value) -> Bool) -> AttributeRule {
    AttributeRule(.valid(text), isKept)
  }

  /// The value is one of these. The comparison uses the stored forms.
  public static func allowedValues(_ values: Value...) -> AttributeRule {
    let stored = values.map(\.propertyValue)
    return AttributeRule(.allowedValues(stored)) { stored.contains($0.propertyValue) }
  }

  /// A length in a range, as a closure.
  fileprivate static func lengths<Range: RangeExpression & Sendable>(
    _ range: Range, of length: @escaping @Sendable (Value) -> Int
  ) -> AttributeRule where Range.Bound == Int {
    AttributeRule(.length(range.text)) { range.contains(length($0)) }
  }

  /// A rule of texts with a pattern, which may be invalid.
  package static func pattern(
    _ pattern: String, problem: String?, _ isKept: @escaping @Sendable (String) -> Bool
  ) -> AttributeRule where Value == String {
    AttributeRule(.pattern(pattern), problem: problem, isKept)
  }
}

extension AttributeRule where Value: Comparable {
  /// The value is in a range. NaN is in no range.
  public static func range<Range: RangeExpression & Sendable>(_ range: Range) -> AttributeRule
  where Range.Bound == Value {
    AttributeRule(.range(range.text)) { range.contains($0) }
  }
}

extension AttributeRule where Value: Collection {
  /// The length is in a range: characters of a text, bytes, or elements of a set.
  public static func length<Range: RangeExpression & Sendable>(_ range: Range) -> AttributeRule
  where Range.Bound == Int {
    lengths(range) { $0.count }
  }
}

extension AttributeRule where Value == Blob {
  /// The number of bytes of a blob is in a range, as in `.byteCount(...10_000_000)`.
  public static func byteCount<Range: RangeExpression & Sendable>(_ range: Range) -> AttributeRule
  where Range.Bound == Int {
    lengths(range) { $0.byteCount }
  }
}

extension RangeExpression {
  /// The range as it is written in Swift.
  fileprivate var text: String {
    switch self {
    case let range as PartialRangeFrom<Bound>: "\(range.lowerBound)..."
    case let range as PartialRangeThrough<Bound>: "...\(range.upperBound)"
    case let range as PartialRangeUpTo<Bound>: "..<\(range.upperBound)"
    default: "\(self)"
    }
  }
}

/// A rule of an attribute of any type. A class: arrays of objects share their metadata, which exists when a process
/// starts.
package final class ValueRule: Sendable {
  package let rule: RuleViolation.Rule
  /// The reason why the rule cannot be checked. `nil` if it can.
  package let problem: String?
  private let isKept: @Sendable (PropertyValue) -> Bool

  init(_ rule: RuleViolation.Rule, problem: String?, _ isKept: @escaping @Sendable (PropertyValue) -> Bool) {
    self.rule = rule
    self.problem = problem
    self.isKept = isKept
  }

  /// Forbids nil and the empty text.
  static let required = ValueRule(.required, problem: nil) { !$0.isNull && $0 != .string("") }

  package func isKept(by value: PropertyValue) -> Bool { value.isNull && rule != .required || isKept(value) }
}
