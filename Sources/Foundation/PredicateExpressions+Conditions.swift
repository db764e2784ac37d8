import RepriseObjectModel
import RepriseQuery

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The parts of predicates that are truth values.

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    .condition(.and(try translation.condition(lhs), try translation.condition(rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    .condition(.or(try translation.condition(lhs), try translation.condition(rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    .condition(.not(try translation.condition(wrapped)))
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    // An optional `Bool` has a third value, which a condition does not have.
    guard Output.self == Bool.self else { throw .notTranslatable(part: "?:", reason: "its result is not a Bool") }
    let test = try translation.condition(test)
    let (yes, no) = (try translation.condition(trueBranch), try translation.condition(falseBranch))
    return .condition(.or(.and(test, yes), .and(.not(test), no)))
  }
}

extension PredicateExpressions.Equal: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let (left, right) = (try translation.translate(lhs), try translation.translate(rhs))
    return .condition(try translation.equality(left, right, of: LHS.Output.self))
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let (left, right) = (try translation.translate(lhs), try translation.translate(rhs))
    return .condition(.not(try translation.equality(left, right, of: LHS.Output.self)))
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let (left, right) = (try translation.translate(lhs), try translation.translate(rhs))
    let comparison: RepriseQuery.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw .notTranslatable(part: "\(op)", reason: "the library does not translate this operation")
      }
    return .condition(try translation.order(left, comparison, right, of: LHS.Output.self))
  }
}

// MARK: Ranges

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    guard let (lower, comparison, upper) = (range as? any BoundedExpression)?.bounds,
      case .constant(let least) = try translation.translate(lower),
      case .constant(let greatest) = try translation.translate(upper)
    else {
      throw .notTranslatable(part: "\(RangeExpression.Output.self)", reason: "it does not have two constant bounds")
    }
    guard !least.isNaN, !greatest.isNaN, least.order(against: greatest) != .after else {
      throw .notTranslatable(
        part: "\(RangeExpression.Output.self)",
        reason: "its lower bound is greater than its upper bound, or a bound is NaN")
    }
    let (value, type) = (try translation.translate(element), RangeExpression.Output.Bound.self)
    return .condition(
      .and(
        try translation.order(value, .greaterOrEqual, .constant(least), of: type),
        try translation.order(value, comparison, .constant(greatest), of: type)))
  }
}

/// The bounds of a range, and the comparison of values with the upper bound.
private protocol BoundedExpression {
  var bounds: (lower: Any, comparison: RepriseQuery.Comparison, upper: Any)? { get }
}

extension PredicateExpressions.ClosedRange: BoundedExpression {
  fileprivate var bounds: (lower: Any, comparison: RepriseQuery.Comparison, upper: Any)? {
    (lower, .lessOrEqual, upper)
  }
}

extension PredicateExpressions.Range: BoundedExpression {
  fileprivate var bounds: (lower: Any, comparison: RepriseQuery.Comparison, upper: Any)? { (lower, .less, upper) }
}

extension PredicateExpressions.Value: BoundedExpression {
  fileprivate var bounds: (lower: Any, comparison: RepriseQuery.Comparison, upper: Any)? {
    (value as? any BoundedValue)?.bounds
  }
}

private protocol BoundedValue {
  var bounds: (lower: Any, comparison: RepriseQuery.Comparison, upper: Any) { get }
}

extension Swift.ClosedRange: BoundedValue {
  fileprivate var bounds: (lower: Any, comparison: RepriseQuery.Comparison, upper: Any) {
    (PredicateExpressions.Value(lowerBound), .lessOrEqual, PredicateExpressions.Value(upperBound))
  }
}

extension Swift.Range: BoundedValue {
  fileprivate var bounds: (lower: Any, comparison: RepriseQuery.Comparison, upper: Any) {
    (PredicateExpressions.Value(lowerBound), .less, PredicateExpressions.Value(upperBound))
  }
}

// MARK: Collections

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let element = try translation.translate(element)
    guard let values = (sequence as? any CapturedSequence)?.elements else {
      guard case .members(let path, _) = try translation.translate(sequence), case .constant(let member) = element,
        !member.isNull
      else { throw .notTranslatable(part: "contains", reason: "neither the collection nor the element is a constant") }
      return .condition([.compare(Term([]), .equal, member), .any(path)])
    }
    var steps: [Step] = [.constant(false)]
    var single: [PropertyValue] = []
    for value in values {
      guard let value = PropertyValue(captured: value) else {
        throw .notTranslatable(
          part: "a collection of \(type(of: value))", reason: "no property has values of this type")
      }
      if !value.isNaN { single.append(value) }
    }
    // All values become one step.
    if case .property(let property) = element, ComparedType.isEquatedAsStored(RHS.Output.self) {
      if single.contains(where: \.isNull) { steps = property.isNil }
      steps = .or([.isIn(property.term, single.filter { !$0.isNull })], steps)
    } else {
      for value in single {
        steps = .or(steps, try translation.equality(element, .constant(value), of: RHS.Output.self))
      }
    }
    return .condition(steps)
  }
}

private protocol CapturedSequence { var elements: [Any]? { get } }

extension PredicateExpressions.Value: CapturedSequence {
  fileprivate var elements: [Any]? {
    func all<Elements: Sequence>(_ sequence: Elements) -> [Any] { sequence.map { $0 as Any } }
    return (value as? any Sequence).map { all($0) }
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let members = try translation.translate(sequence)
    return .condition(try translation.test(members, variable.key, test, isAny: true))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let members = try translation.translate(sequence)
    return .condition(try translation.test(members, variable.key, test, isAny: false))
  }
}

// MARK: Texts

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let (text, part) = (try translation.translate(base), try translation.translate(other))
    return .condition(try translation.test(text, .contains, part))
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let (text, part) = (try translation.translate(base), try translation.translate(prefix))
    return .condition(try translation.test(text, .hasPrefix, part))
  }
}

extension PredicateTranslation {
  fileprivate func test(
    _ text: TranslatedExpression, _ test: TextTest, _ part: TranslatedExpression
  ) throws(FetchError) -> [Step] {
    switch (text, part) {
    case (.property(let property), .constant(.string(let part))):
      guard case .attribute(.string) = property.content else { break }
      return [.text(property.term, test, part, .byCharacter)]
    case (.choice(let property, let other), _):
      return .or(
        .and(property.isNotNil, try self.test(.property(property), test, part)),
        .and(property.isNil, try self.test(other, test, part)))
    case (.constant(.string(let text)), .constant(.string(let part))):
      return [.constant(test == .hasPrefix ? text.starts(with: part) : text.contains(part))]
    default: break
    }
    throw .notTranslatable(
      part: test == .hasPrefix ? "starts(with:)" : "contains",
      reason: "only a text can be searched, and only for a constant text")
  }
}
