import RepriseObjectModel
import RepriseQuery

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A part of a predicate that can be translated. Conformances are among `PredicateExpressions`.
protocol TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression
}

/// The translation of a predicate's part.
enum TranslatedExpression {
  /// A truth value.
  case condition([Step])
  /// An optional truth value: the second condition where the first one holds, and nil elsewhere.
  case conditionWhere([Step], [Step])
  case property(TranslatedProperty)
  /// The members of a to-many relationship.
  case members(path: [String], any PersistentModel.Type)
  case constant(PropertyValue)
  /// A property, and its replacement if it is nil.
  indirect case choice(TranslatedProperty, else: TranslatedExpression)
}

/// A property that a predicate reads.
struct TranslatedProperty {
  let term: Term
  let content: Content

  enum Content {
    case attribute(AttributeKind)
    case object(any PersistentModel.Type)
    case count
  }

  var isFloating: Bool {
    switch content {
    case .attribute(.double), .attribute(.date): true
    default: false
    }
  }

  var nan: PropertyValue { if case .attribute(.date) = content { .date(.nan) } else { .double(.nan) } }
  var isNil: [Step] { [.compare(term, .equal, .null)] }
  var isNotNil: [Step] { [.compare(term, .notEqual, .null)] }
}

/// A translation in progress, with the values of the predicate's variables.
struct PredicateTranslation {
  private var variables: [PredicateExpressions.VariableID: (value: TranslatedProperty, depth: Int)] = [:]
  /// The number of tests of members that contain the part.
  private var depth = 0

  mutating func steps<Model: PersistentModel>(
    _ predicate: Predicate<Model>, _ model: Model.Type
  ) throws(FetchError) -> [Step] {
    bind(predicate.variable.key, to: TranslatedProperty(term: Term([]), content: .object(model)))
    return try condition(predicate.expression)
  }

  mutating func bind(_ variable: PredicateExpressions.VariableID, to value: TranslatedProperty) {
    variables[variable] = (value, depth)
  }

  func value(of variable: PredicateExpressions.VariableID) throws(FetchError) -> TranslatedProperty {
    guard let found = variables[variable] else {
      throw .notTranslatable(part: "a variable", reason: "no closure declares it")
    }
    guard found.depth == depth else {
      throw .notTranslatable(
        part: "an outer object within 'contains(where:)' or 'allSatisfy'",
        reason: "the test of a member can read only that member")
    }
    return found.value
  }

  mutating func translate(_ expression: some Any) throws(FetchError) -> TranslatedExpression {
    guard let known = expression as? any TranslatableExpression else {
      throw .notTranslatable(part: Self.name(of: expression), reason: "the library does not translate this operation")
    }
    return try known.translated(&self)
  }

  mutating func condition(_ expression: some Any) throws(FetchError) -> [Step] {
    try condition(of: translate(expression), Self.name(of: expression))
  }

  func condition(of translated: TranslatedExpression, _ part: String) throws(FetchError) -> [Step] {
    switch translated {
    case .condition(let steps): return steps
    case .constant(.bool(let value)): return [.constant(value)]
    case .property(let property):
      guard case .attribute(.bool) = property.content else { break }
      return [.compare(property.term, .equal, .bool(true))]
    case .choice(let property, let other):
      return .or(
        .and(property.isNotNil, try condition(of: .property(property), part)),
        .and(property.isNil, try condition(of: other, part)))
    case .conditionWhere, .members, .constant: break
    }
    throw .notTranslatable(part: part, reason: "its result is not a Bool")
  }

  /// The test of a member.
  mutating func test(
    _ members: TranslatedExpression, _ variable: PredicateExpressions.VariableID, _ test: some Any, isAny: Bool
  ) throws(FetchError) -> [Step] {
    guard case .members(let path, let model) = members else {
      throw .notTranslatable(
        part: isAny ? "contains(where:)" : "allSatisfy",
        reason: "only the members of a to-many relationship can be tested")
    }
    depth += 1
    defer { depth -= 1 }
    bind(variable, to: TranslatedProperty(term: Term([]), content: .object(model)))
    return try condition(test) + [isAny ? .any(path) : .all(path)]
  }

  /// The name of a part's operator, without its operands.
  static func name(of expression: some Any) -> String {
    let name = String(describing: type(of: expression))
    return String(name.prefix { $0 != "<" })
  }
}

extension [Step] {
  static func and(_ left: [Step], _ right: [Step]) -> [Step] {
    if left == [.constant(true)] || right == [.constant(false)] { return right }
    if right == [.constant(true)] || left == [.constant(false)] { return left }
    return left + right + [.and]
  }

  static func or(_ left: [Step], _ right: [Step]) -> [Step] {
    if left == [.constant(false)] || right == [.constant(true)] { return right }
    if right == [.constant(false)] || left == [.constant(true)] { return left }
    return left + right + [.or]
  }

  static func not(_ steps: [Step]) -> [Step] {
    if case .constant(let value)? = steps.last, steps.count == 1 { return [.constant(!value)] }
    return steps.last == .not ? steps.dropLast() : steps + [.not]
  }
}
