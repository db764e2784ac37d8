import RepriseObjectModel

extension CompiledCondition {
  /// Whether it holds of no object of which the term is nil, as far as one look at its outermost conjunction tells.
  func excludesNil(of term: CompiledTerm) -> Bool {
    switch self {
    case .and(let conditions): conditions.contains { $0.excludesNil(of: term) }
    case .or(let conditions): !conditions.isEmpty && conditions.allSatisfy { $0.excludesNil(of: term) }
    case .compare(term, .notEqual, let value): value.isNull
    case .compare(term, .equal, let value): !value.isNull
    case .compare(term, _, _), .isIn(term, _), .text(term, _): true
    default: false
    }
  }
}

extension CompiledTerm {
  /// Whether every object has a value: an attribute of its own that is not optional, or a number of its own members.
  func isNeverNil(in entity: Entity) -> Bool {
    guard hops.isEmpty else { return false }
    return switch end {
    case .attribute(let slot, _): entity.properties[slot].attribute?.isOptional == false
    case .count, .id: true
    case .toOne, .computed: false
    }
  }
}
