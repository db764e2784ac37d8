import RepriseObjectModel

extension CompiledCondition {
  /// Whether the outermost conjunction shows that no object with a nil term matches.
  func excludesNil(of term: CompiledTerm) -> Bool {
    switch self {
    case .and(let conditions): return conditions.contains { $0.excludesNil(of: term) }
    case .or(let conditions): return !conditions.isEmpty && conditions.allSatisfy { $0.excludesNil(of: term) }
    case .compare(let read, let comparison, let value):
      guard read.readsSame(as: term) else { return false }
      return comparison == .notEqual ? value.isNull : comparison == .equal ? !value.isNull : true
    case .isIn(let read, _), .text(let read, _): return read.readsSame(as: term)
    default: return false
    }
  }
}

extension CompiledTerm {
  /// Whether both terms read the same value, whatever their collations are.
  fileprivate func readsSame(as other: CompiledTerm) -> Bool { hops == other.hops && end == other.end }

  /// Whether every object has a value: a non-optional attribute of the object itself, or a number of its members.
  func isNeverNil(in entity: Entity) -> Bool {
    guard hops.isEmpty else { return false }
    return switch end {
    case .attribute(let slot, _): entity.properties[slot].attribute?.isOptional == false
    case .count, .id: true
    case .toOne, .computed: false
    }
  }
}
