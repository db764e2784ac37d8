import RepriseObjectModel

/// A condition with its names resolved, ready to be evaluated. A text that a term is compared with is already the key
/// in the term's collation.
indirect enum CompiledCondition: Hashable, Sendable {
  case constant(Bool)
  case not(CompiledCondition)
  case and([CompiledCondition])
  case or([CompiledCondition])
  case compare(CompiledTerm, Comparison, PropertyValue)
  case compareTerms(CompiledTerm, Comparison, CompiledTerm)
  case isIn(CompiledTerm, Set<PropertyValue>)
  case text(CompiledTerm, TextPattern)
  case any(CompiledMembers, CompiledCondition)
  case all(CompiledMembers, CompiledCondition)
}

extension CompiledCondition {
  /// Whether an object with these values meets the condition.
  func holds(of values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource) -> Bool {
    switch self {
    case .constant(let value): return value
    case .not(let condition): return !condition.holds(of: values, id, source)
    case .and(let conditions): return conditions.allSatisfy { $0.holds(of: values, id, source) }
    case .or(let conditions): return conditions.contains { $0.holds(of: values, id, source) }
    case .compare(let term, let comparison, let operand):
      return comparison.holds(term.key(values, id, source), operand)
    case .compareTerms(let left, let comparison, let right):
      return comparison.holds(left.key(values, id, source), right.key(values, id, source))
    case .isIn(let term, let operands): return operands.contains(term.key(values, id, source).normalized)
    case .text(let term, let pattern):
      guard case .string(let text) = term.value(values, id, source) else { return false }
      return pattern.matches(text)
    case .any(let members, .compare(let term, .equal, .reference(let member))) where term.isID:
      return members.contain(member, values, id, source)
    case .any(let members, let condition):
      return members.members(values, id, source).contains { member in
        source.values(of: member).map { condition.holds(of: $0, member, source) } ?? false
      }
    case .all(let members, let condition):
      return members.members(values, id, source).allSatisfy { member in
        source.values(of: member).map { condition.holds(of: $0, member, source) } ?? true
      }
    }
  }
}

extension Comparison {
  func holds(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
    switch self {
    case .equal: left.isSame(as: right)
    case .notEqual: !left.isSame(as: right)
    case .less: !left.isNull && !right.isNull && left.order(against: right) == .before
    case .lessOrEqual: !left.isNull && !right.isNull && left.order(against: right) != .after
    case .greater: !left.isNull && !right.isNull && left.order(against: right) == .after
    case .greaterOrEqual: !left.isNull && !right.isNull && left.order(against: right) != .before
    }
  }
}

extension PropertyValue {
  fileprivate func isSame(as other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.double, .double), (.date, .date): order(against: other) == .same
    default: self == other
    }
  }

  /// The same value for all values that compare equal, for use in a set.
  var normalized: PropertyValue {
    switch self {
    case .double(let it): .double(it == 0 ? 0 : it.isNaN ? .nan : it)
    case .date(let it): .date(it == 0 ? 0 : it.isNaN ? .nan : it)
    default: self
    }
  }
}
