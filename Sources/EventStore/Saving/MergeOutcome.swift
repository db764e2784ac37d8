import RepriseLMDB
import RepriseObjectModel

/// A ``SavePlan`` for contexts: the changes that a save over a state would make, and the conflicts that prevent it.
package struct MergeOutcome {
  /// Each object once, including objects that only the consequences concern. Meaningless if there are conflicts.
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

  /// The changes that deleting an object entails by the delete rules: its deletion, those of objects that go with it,
  /// and the references to it that are emptied.
  package func deletion(
    of id: AnyObjectID, over state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [(object: AnyObjectID, change: ObjectChange)] {
    var planner = SavePlanner(map: self, merging: Merging(.mine))
    try planner.deleteByRule(id, &state)
    try planner.follow(&state)
    return planner.sorted().map { ($0.id, $0.change) }
  }
}
