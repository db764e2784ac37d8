import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension ObjectReader {
  /// The outcome that saving these changes now would have.
  package func merge(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ merging: Merging
  ) throws(StoreError) -> MergeOutcome {
    try store.read { (view, _) in
      Result { () throws(StoreError) in
        let map = store.map
        var state = HeadState(view, map, store.tables)
        return try map.merge(changes, merging, over: &state)
      }
    }.get()
  }

  /// The deletion of an object, as ``LowerState`` has it: at the head. Reads the log.
  package func deletion(
    of uuid: UniqueID, _ entity: EntityMap, _ known: [PastDeletion]
  ) throws(StoreError) -> PastDeletion? {
    try store.read { (view, _) in
      Result { () throws(StoreError) in
        try HeadState(view, store.map, store.tables).deletion(of: uuid, entity, known)
      }
    }.get()
  }
}
