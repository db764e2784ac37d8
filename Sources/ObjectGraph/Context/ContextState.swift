import RepriseEventStore
import RepriseObjectModel

/// A context's view as the lower state of a child's save.
struct ContextState: LowerState {
  let context: EditingContext

  private func reading(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> ObjectReading {
    try context.reading(of: AnyObjectID(entity.entity.interned, uuid), entity)
  }

  func object(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> LowerObject? {
    try reading(uuid, entity).values.map(LowerObject.init)
  }

  func sources(of target: UniqueID, _ end: ResolvedSchema.Relationship) throws(StoreError) -> [UniqueID] {
    try context.members(end, of: target)
  }

  /// Hidden references are handled by the save into the log.
  func sources(of target: UniqueID, _ hidden: HiddenReference) throws(StoreError) -> [UniqueID] { [] }

  func objects(
    with key: UniqueKey, _ index: UniqueIndex, _ entity: EntityMap
  ) throws(StoreError) -> [UniqueID] {
    guard let slot = index.slot else { return [] }
    return try context.projection.objects(entity, slot: slot, in: key.range)
  }

  /// Properties that models lack are for the save into the log.
  func columns(
    of index: UniqueIndex, in record: [UInt8]?, _ uuid: UniqueID, _ entity: EntityMap
  ) throws(StoreError) -> [PropertyValue]? { nil }

  func mayKnow(_ uuid: UniqueID, _ entity: EntityMap, isTombstone: Bool) throws(StoreError) -> Bool { !isTombstone }

  func wasThere(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> Bool {
    if case .deleted = try reading(uuid, entity) { return true }
    return try context.store.objects.hasRecord(of: uuid, entity)
  }

  func mayHaveForgotten(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> Bool {
    if try wasThere(uuid, entity) { return true }
    return try context.store.log.hasDroppedTransactions()
  }

  func tombstone(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> [UInt8]? { nil }

  func deletion(
    of uuid: UniqueID, _ entity: EntityMap, _ known: [PastDeletion]
  ) throws(StoreError) -> PastDeletion? {
    let id = AnyObjectID(entity.entity.interned, uuid)
    // No layer has a change of an object that was inserted there and deleted.
    if let known = known.first(where: { $0.position == nil && $0.deleted[id] != nil }) { return known }
    guard let layer = context.layers.last(where: { $0.changes[id]?.isDeletion ?? false }) else {
      if let found = try context.store.objects.deletion(of: uuid, entity, known) { return found }
      return try deletionOfRestored(id, entity)
    }
    return layer.deletion(of: id)
  }

  /// The deletion of an object that another save has restored after the position of the context. The head has no
  /// tombstone of it any more, but the object, with its latest values. `nil` if there is no such object.
  private func deletionOfRestored(_ id: AnyObjectID, _ entity: EntityMap) throws(StoreError) -> PastDeletion? {
    let store = context.store
    guard let values = try store.objects.values(of: id.uuid, entity, at: store.refreshedHead()) else { return nil }
    let deletion = PastDeletion()
    deletion.add(id, .deleted(values))
    return deletion
  }
}

extension EditingContext {
  /// The outcome of merging changes with the values of this context.
  func merged(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ policy: MergePolicy
  ) throws(StoreError) -> MergeOutcome {
    var state = ContextState(context: self)
    return try store.map.merge(changes, validating(Merging(policy)), over: &state)
  }
}
