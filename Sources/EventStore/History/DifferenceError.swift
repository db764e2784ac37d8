import RepriseObjectModel

/// Why a difference could not be applied. Nothing has changed.
@nonexhaustive
public enum DifferenceError: RepriseError {
  /// Other work stands where the difference leads elsewhere: saves, or uncommitted changes. `base` is what the
  /// difference leads from, `mine` what it leads to, `theirs` what the context shows. Apply it again with a merge
  /// policy, which may decide each conflict on its own.
  case conflicts([Conflict])
  /// The outcome would break rules of the models.
  case violations([RuleViolation])
  /// It is refused for both, of which it tells all.
  case several(conflicts: [Conflict], violations: [RuleViolation])
  /// It tells of an entity, or of a property, that the models of this program lack. The property is `nil` if it is the
  /// entity.
  case unknown(entity: String, property: String?)
  /// Objects that it rests on could not be read.
  case store(StoreError)
}

extension DifferenceError {
  /// The conflicts for which the difference was refused, alone or besides broken rules.
  public var conflicts: [Conflict] {
    switch self {
    case .conflicts(let conflicts), .several(let conflicts, _): conflicts
    default: []
    }
  }

  /// The broken rules for which the difference was refused, alone or besides conflicts.
  public var violations: [RuleViolation] {
    switch self {
    case .violations(let violations), .several(_, let violations): violations
    default: []
    }
  }

  /// All that prevents a difference; `nil` if nothing does.
  package static func refusal(_ conflicts: [Conflict], _ violations: [RuleViolation]) -> DifferenceError? {
    switch (conflicts.isEmpty, violations.isEmpty) {
    case (true, true): nil
    case (false, true): .conflicts(conflicts)
    case (true, false): .violations(violations)
    case (false, false): .several(conflicts: conflicts, violations: violations)
    }
  }
}

extension DifferenceError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .conflicts(let conflicts):
      "The difference cannot be applied as a whole, because of other work: "
        + conflicts.prefix(3).map(\.description).joined(separator: "; ") + (conflicts.count > 3 ? "; …" : "")
        + ". Nothing was changed. Apply it with a merge policy that decides."
    case .violations(let violations):
      "If the difference was applied, rules would be broken: \(RuleViolation.list(violations)). Nothing was changed."
    case .several(let conflicts, let violations):
      "\(Self.conflicts(conflicts).description) \(Self.violations(violations).description)"
    case .unknown(let entity, let property):
      "The difference tells of \(property.map { "\(entity).\($0)" } ?? entity), which the models of this program lack. "
        + "Apply it with a program that has them."
    case .store(let error): "Nothing was changed. \(error)"
    }
  }
}
