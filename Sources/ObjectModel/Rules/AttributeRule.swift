/// A rule that the values of an attribute keep, as in `.range(0...120)`. What is nil keeps every rule but ``required``.
///
/// Checked when a save is planned, over what is merged with the saves of others, so that what breaks it is never
/// stored: the save is refused with `SaveError.violations`. Only what a save inserts or changes is checked. A rule is
/// the program's: it may differ at the next launch, and programs without it do not keep it.
public struct AttributeRule<Value: AttributeValue>: Sendable {
  package let rule: ValueRule

  private init(
    _ rule: RuleViolation.Rule, problem: String? = nil, _ isKept: @escaping @Sendable (Value) -> Bool
  ) {
    self.rule = ValueRule(rule, problem: problem) { value in Value.from(value).map(isKept) ?? true }
  }

  /// A value: not nil, and of a text not the empty one.
  public static var required: AttributeRule { AttributeRule(ValueRule.required) }

  private init(_ rule: ValueRule) { self.rule = rule }

  /// The values that a closure accepts. It is called on a thread of the library, while other saves wait.
  ///
  /// - Parameter text: What it asks for, as people read it: "a name begins with a letter".
  public static func valid(_ text: String, _ isKept: @escaping @Sendable (Value) -> Bool) -> AttributeRule {
    AttributeRule(.valid(text), isKept)
  }

  /// One of these values. They are compared as they are stored.
  public static func oneOf(_ choices: Value...) -> AttributeRule {
    let stored = choices.map(\.propertyValue)
    return AttributeRule(.choice(stored)) { stored.contains($0.propertyValue) }
  }

  /// A length in a range, told by a closure.
  fileprivate static func lengths<Range: RangeExpression & Sendable>(
    _ range: Range, of length: @escaping @Sendable (Value) -> Int
  ) -> AttributeRule where Range.Bound == Int {
    AttributeRule(.length(range.text)) { range.contains(length($0)) }
  }

  /// A rule of texts that is told by a pattern, which may be unusable.
  package static func pattern(
    _ pattern: String, problem: String?, _ isKept: @escaping @Sendable (String) -> Bool
  ) -> AttributeRule where Value == String {
    AttributeRule(.pattern(pattern), problem: problem, isKept)
  }
}

extension AttributeRule where Value: Comparable {
  /// A value in a range. What is no number is in none.
  public static func range<Range: RangeExpression & Sendable>(_ range: Range) -> AttributeRule
  where Range.Bound == Value {
    AttributeRule(.range(range.text)) { range.contains($0) }
  }
}

extension AttributeRule where Value: Collection {
  /// A value of a length in a range: a text of so many characters, so many bytes, a set of so many elements.
  public static func length<Range: RangeExpression & Sendable>(_ range: Range) -> AttributeRule
  where Range.Bound == Int {
    lengths(range) { $0.count }
  }
}

extension AttributeRule where Value == Blob {
  /// A blob of so many bytes, as in `.byteCount(...10_000_000)`.
  public static func byteCount<Range: RangeExpression & Sendable>(_ range: Range) -> AttributeRule
  where Range.Bound == Int {
    lengths(range) { $0.byteCount }
  }
}

extension RangeExpression {
  /// As it is written in Swift.
  fileprivate var text: String {
    switch self {
    case let range as PartialRangeFrom<Bound>: "\(range.lowerBound)..."
    case let range as PartialRangeThrough<Bound>: "...\(range.upperBound)"
    case let range as PartialRangeUpTo<Bound>: "..<\(range.upperBound)"
    default: "\(self)"
    }
  }
}

/// A rule of an attribute, whatever its type.
// A class: arrays of objects share their metadata, which exists when a process starts.
package final class ValueRule: Sendable {
  package let rule: RuleViolation.Rule
  /// Why no value can be held against it.
  package let problem: String?
  private let isKept: @Sendable (PropertyValue) -> Bool

  init(_ rule: RuleViolation.Rule, problem: String?, _ isKept: @escaping @Sendable (PropertyValue) -> Bool) {
    self.rule = rule
    self.problem = problem
    self.isKept = isKept
  }

  /// No nil, and no empty text.
  static let required = ValueRule(.required, problem: nil) { !$0.isNull && $0 != .string("") }

  package func isKept(by value: PropertyValue) -> Bool { value.isNull && rule != .required || isKept(value) }
}
