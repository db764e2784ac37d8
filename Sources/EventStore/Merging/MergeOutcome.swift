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

extension Store {
  /// What a save would make of changes if it took place now.
  package func merge(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ merging: Merging
  ) throws(StoreError) -> MergeOutcome {
    try read { (view, _) throws(StoreError) in
      let map = self.map
      var state = HeadState(view, map, tables, path: path)
      return try map.merge(changes, merging, over: &state)
    }
  }

  /// The values that a deleted object had last; `nil` where there never was one. Reads the log.
  package func lastValues(
    of uuid: UniqueID, _ entity: EntityMap
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    try read { (view, _) throws(StoreError) in
      try HeadState(view, map, tables, path: path).lastValues(uuid, entity)
    }
  }
}
