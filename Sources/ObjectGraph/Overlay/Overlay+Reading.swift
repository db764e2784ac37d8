import RepriseEventStore
import RepriseObjectModel

// How stacked overlays are read, for contexts and for projections of them.

extension Overlay {
  /// An object seen through this layer. An insertion hides what lies below, which is not asked then.
  func reading(
    of id: AnyObjectID, _ entity: Entity, over below: () throws(StoreError) -> ObjectReading
  ) throws(StoreError) -> ObjectReading {
    guard let change = changes[id] else { return try below() }
    if case .inserted(let values) = change { return .present(values) }
    return try below().under(change, entity)
  }
}

extension [Overlay] {
  /// An object seen through these layers, the lowest first.
  func reading(
    of id: AnyObjectID, _ entity: Entity, over bottom: () throws(StoreError) -> ObjectReading
  ) throws(StoreError) -> ObjectReading {
    try self[...].reading(of: id, entity, over: bottom)
  }

  /// The objects that refer to a target at the derived end of a relationship, ascending: those that do in the store,
  /// and in these layers.
  ///
  /// - Parameter read: An object's values as they are above all layers; `nil` where it does not exist.
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

  /// The objects of which these layers must be asked whether they refer to a target: those that some layer may have
  /// made refer to it, and of those that do so in the store each that a layer changed or deleted.
  private func candidates(
    _ entity: EntityName, _ slot: Int, _ target: UniqueID, stored: [UniqueID]
  ) -> Set<UniqueID> {
    let reference = Overlay.Reference(entity: entity, slot: slot, target: target)
    var candidates: Set<UniqueID> = []
    for layer in self where !layer.isEmpty {
      if let referrers = layer.referrers[reference] { candidates.formUnion(referrers) }
      for uuid in stored where layer.changes[AnyObjectID(entity, uuid)] != nil { candidates.insert(uuid) }
    }
    return candidates
  }
}

extension ArraySlice<Overlay> {
  fileprivate func reading(
    of id: AnyObjectID, _ entity: Entity, over bottom: () throws(StoreError) -> ObjectReading
  ) throws(StoreError) -> ObjectReading {
    guard let top = last else { return try bottom() }
    return try top.reading(of: id, entity) { () throws(StoreError) in
      try dropLast().reading(of: id, entity, over: bottom)
    }
  }
}
