import RepriseLMDB
import RepriseObjectModel

/// What would be saved of changes over a state, and what keeps them from being saved: a ``SavePlan``, for contexts.
package struct MergeOutcome {
  /// Of each object once, with what follows from the changes in objects that they do not name. Without meaning where
  /// there are conflicts.
  package let changes: [(object: AnyObjectID, change: ObjectChange)]
  package let conflicts: [Conflict]

  fileprivate init(_ plan: SavePlan) {
    changes = plan.operations.map { ($0.id, $0.change) }
    conflicts = plan.conflicts
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
