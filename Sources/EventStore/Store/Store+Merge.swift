import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// The outcome that saving these changes now would have.
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

  /// The last values of a deleted object; `nil` if it never existed. Reads the log.
  package func lastValues(
    of uuid: UniqueID, _ entity: EntityMap
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    try read { (view, _) in
      Result { () throws(StoreError) in try HeadState(view, map, tables).lastValues(uuid, entity) }
    }.get()
  }
}
