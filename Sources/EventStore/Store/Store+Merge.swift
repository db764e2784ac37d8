import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// What a save would make of changes if it took place now.
  package func merge(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ merging: Merging
  ) throws(StoreError) -> MergeOutcome {
    try read { (view, _) in
      Result { () throws(StoreError) in
        let map = self.map
        var state = HeadState(view, map, tables)
        return try map.merge(changes, merging, over: &state)
      }
    }.get()
  }

  /// The values that a deleted object had last; `nil` where there never was one. Reads the log.
  package func lastValues(
    of uuid: UniqueID, _ entity: EntityMap
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    try read { (view, _) in
      Result { () throws(StoreError) in try HeadState(view, map, tables).lastValues(uuid, entity) }
    }.get()
  }
}
