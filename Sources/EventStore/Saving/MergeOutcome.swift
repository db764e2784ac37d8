import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A ``SavePlan`` for contexts: the changes that a save over a state would make, and the conflicts and broken
/// rules that prevent it.
package struct MergeOutcome {
  /// Each object once, including objects that only consequences concern. Meaningless if there are conflicts.
  package let changes: [(object: AnyObjectID, change: ObjectChange)]
  package let conflicts: [Conflict]
  /// The rules that the outcome breaks.
  package let violations: [RuleViolation]
  /// The values that do not fit their property.
  package let invalidValues: [InvalidValue]
  /// The objects with a `validate`, and the values to call it with.
  package let unvalidated: [(object: AnyObjectID, values: ContiguousArray<PropertyValue>)]

  fileprivate init(_ plan: SavePlan) {
    changes = plan.operations.compactMap { operation in
      // Contexts compute derived attributes when they read an object.
      guard operation.map.entity.derives, case .updated(let changes) = operation.change else {
        return (operation.id, operation.change)
      }
      let own = changes.filter { !$0.isDerived(operation.map.entity) }
      return own.isEmpty ? nil : (operation.id, .updated(own))
    }
    unvalidated = plan.unvalidated
    conflicts = plan.conflicts
    violations = plan.violations
    invalidValues = plan.invalidValues
  }
}

extension SchemaMap {
  package func merge(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ merging: Merging,
    over state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> MergeOutcome {
    MergeOutcome(try SavePlan(changes, merging, self, over: &state))
  }
}
