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

  /// What deleting an object comes to by the delete rules: itself, what goes with it, what forgets it.
  package func deletion(
    of id: AnyObjectID, over state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [(object: AnyObjectID, change: ObjectChange)] {
    var planner = SavePlanner(map: self, merging: Merging(.mine))
    try planner.deleteByRule(id, &state)
    try planner.follow(&state)
    return planner.sorted().map { ($0.id, $0.change) }
  }
}
