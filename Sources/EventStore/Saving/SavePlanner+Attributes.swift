import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// Computes the derived attributes of the outcome.
  mutating func derive() {
    for place in operations.indices where operations[place].map.entity.derives { operations[place].derive() }
  }

  /// The objects whose attributes get values that break their rules. Takes a step for each inserted or changed value of
  /// an attribute with rules.
  func attributeViolations() -> [RuleViolation] {
    var violations: [RuleViolation] = []
    for place in operations.indices where operations[place].map.entity.hasRules {
      let operation = operations[place]
      switch operation.change {
      case .inserted(let values):
        for slot in operation.map.entity.ruledSlots {
          violations += operation.map.entity.violations(of: values[slot], at: slot, operation.id)
        }
      case .updated(let changes):
        for change in changes {
          violations += operation.map.entity.violations(of: change.new, at: change.slot, operation.id)
        }
      case .deleted: break
      }
    }
    return violations
  }

  /// The objects whose `validate` was not called with the values of the outcome.
  func unvalidated() -> [SavePlan.Unvalidated] {
    guard let validated = merging.validated else { return [] }
    return operations.compactMap { operation in
      guard operation.map.entity.validation != nil, !operation.isEmpty,
        let values = operation.change.applied(to: operation.values)
      else { return nil }
      if let known = validated[operation.id], zip(known, values).allSatisfy({ $0.isIdentical(to: $1) }) { return nil }
      return (operation.id, values)
    }
  }
}

extension SavePlan.Operation {
  fileprivate mutating func derive() {
    switch change {
    case .inserted(var values):
      map.entity.derive(&values, of: uuid)
      change = .inserted(values)
    case .updated(let changes):
      guard !changes.isEmpty, let below = values, var now = change.applied(to: below) else { return }
      map.entity.derive(&now, of: uuid)
      change = ObjectChange.updated(from: below, to: now) ?? .updated([])
    case .deleted: break
    }
  }
}
