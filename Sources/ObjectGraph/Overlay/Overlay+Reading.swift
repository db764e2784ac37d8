import RepriseEventStore
import RepriseObjectModel

// Reading through stacked overlays, for contexts and projections.

extension ObjectChange? {
  /// Reads an object in the layer whose change of it is `self`. If the change is an insertion, the layers below are not
  /// read.
  @inline(__always) func reading(
    of id: AnyObjectID, _ entity: Entity, over below: () throws(StoreError) -> ObjectReading
  ) throws(StoreError) -> ObjectReading {
    guard let change = self else { return try below() }
    if case .inserted = change { return ObjectReading.absent.under(change, entity, id.uuid) }
    return try below().under(change, entity, id.uuid)
  }
}

extension [Overlay] {
  /// Reads an object through these layers, lowest first.
  func reading(
    of id: AnyObjectID, _ entity: Entity, over bottom: () throws(StoreError) -> ObjectReading
  ) throws(StoreError) -> ObjectReading {
    try self[...].reading(of: id, entity, over: bottom)
  }

  /// The objects that refer to `target`, ascending: the members of the derived end of a relationship, in the store with
  /// these layers applied.
  ///
  /// - Parameter read: Reads an object's values through all layers. `nil` if it does not exist.
  func members(
    _ end: ResolvedSchema.Relationship, of target: UniqueID, stored: [UniqueID],
    _ read: (AnyObjectID) throws(StoreError) -> ContiguousArray<PropertyValue>?
  ) throws(StoreError) -> [UniqueID] {
    let touched = candidates(end.target.interned, end.inverseSlot, target, stored: stored)
    if touched.isEmpty { return stored }
    var members = stored.filter { !touched.contains($0) }
    for candidate in touched {
      let values = try read(AnyObjectID(end.target.interned, candidate))
      if values?[end.inverseSlot].reference?.uuid == target { members.append(candidate) }
    }
    return members.sorted()
  }

  /// The objects that must be read through the layers to find whether they refer to a target. These are the objects
  /// whose reference some layer may have set, and the stored members that a layer changed or deleted.
  private func candidates(
    _ entity: EntityName, _ slot: Int, _ target: UniqueID, stored: [UniqueID]
  ) -> Set<UniqueID> {
    let reference = Overlay.Reference(entity: entity, slot: slot, target: target)
    var candidates: Set<UniqueID> = []
    for layer in self where !layer.isEmpty {
      candidates.formUnion(layer.referrers(reference))
      for uuid in stored where layer.changes.mayChange(AnyObjectID(entity, uuid), slot) { candidates.insert(uuid) }
    }
    return candidates
  }
}

extension ArraySlice<Overlay> {
  fileprivate func reading(
    of id: AnyObjectID, _ entity: Entity, over bottom: () throws(StoreError) -> ObjectReading
  ) throws(StoreError) -> ObjectReading {
    guard let top = last else { return try bottom() }
    return try top.changes.change(of: id).reading(of: id, entity) { () throws(StoreError) in
      try dropLast().reading(of: id, entity, over: bottom)
    }
  }
}
