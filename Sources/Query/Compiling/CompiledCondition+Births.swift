import RepriseObjectModel

extension CompiledCondition {
  /// The range of IDs that contains all matches, from the condition's comparisons of IDs. `nil` if nothing matches.
  func births() -> ClosedRange<UniqueID>? {
    switch self {
    case .compare(let term, let comparison, .reference(let id)) where term.isID && term.hops.isEmpty:
      switch comparison {
      case .equal: return id.uuid...id.uuid
      case .notEqual: return .everyBirth
      case .less: return id.uuid.previous.map { .zero...$0 }
      case .lessOrEqual: return .zero...id.uuid
      case .greater: return id.uuid.next.map { $0 ... .greatest }
      case .greaterOrEqual: return id.uuid ... .greatest
      }
    case .and(let conditions):
      var common = ClosedRange<UniqueID>.everyBirth
      for condition in conditions {
        guard let births = condition.births(), births.overlaps(common) else { return nil }
        common = births.clamped(to: common)
      }
      return common
    default: return .everyBirth
    }
  }
}

extension ClosedRange<UniqueID> {
  package static var everyBirth: ClosedRange<UniqueID> { .zero ... .greatest }
}
