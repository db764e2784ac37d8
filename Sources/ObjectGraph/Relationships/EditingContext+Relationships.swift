import RepriseEventStore
import RepriseObjectModel

// The edits of relationships that objects request from their context, through ``ObjectHost``. Each edit also changes
// the inverse.

extension EditingContext {
  func setToOne(
    _ object: (any PersistentModel)?, at end: ResolvedSchema.Relationship, of storage: ObjectStorage
  ) {
    group(nil) {
      if let object {
        join(object)
        if isOutOfReach(object._storage) { return }
      }
      if end.stores {
        refer(storage, end.slot, to: object?._storage.id)
      } else {
        // The other end stores the reference: previous referrers are cleared, then the new one is set.
        for member in memberIDs(end, of: storage) where member != object?._storage.uuid {
          letGo(member, end)
        }
        if let object { refer(object._storage, end.inverseSlot, to: storage.id) }
      }
    }
  }

  func insertMember(
    _ object: any PersistentModel, into end: ResolvedSchema.Relationship, of storage: ObjectStorage
  ) {
    group(nil) {
      join(object)
      if isOutOfReach(object._storage) { return }
      if let far = end.far {
        addLink(end.link(storage.uuid, object._storage.uuid))
        if far.isMirrored { addLink(end.link(object._storage.uuid, storage.uuid)) }
      } else {
        refer(object._storage, end.inverseSlot, to: storage.id)
      }
    }
  }

  func removeMember(
    _ object: any PersistentModel, from end: ResolvedSchema.Relationship, of storage: ObjectStorage
  ) {
    requireOwn(object._storage, "remove")
    if let far = end.far {
      return group(nil) {
        removeLink(end, storage, object._storage)
        if far.isMirrored { removeLink(end, object._storage, storage) }
        hide(object._storage, from: end, of: storage)
      }
    }
    guard object._storage.value(end.inverseSlot).reference == storage.id else {
      return hide(object._storage, from: end, of: storage)
    }
    group(nil) { refer(object._storage, end.inverseSlot, to: nil) }
  }

  /// Hides the row of a member with a damaged record, or the row of a placeholder. Otherwise a loop that removes the
  /// first member again and again would not end. Does nothing for other objects.
  private func hide(_ object: ObjectStorage, from end: ResolvedSchema.Relationship, of storage: ObjectStorage) {
    let state = object.currentState
    guard state == .unreadable || state == .deleted, !isDeletedHere(object.id) else { return }
    guard isPlaceholder(object) || end.far == nil && rowIDs(end, of: storage).contains(object.uuid) else { return }
    let reason = "an index refers to the object \(object.id), which the store does not have"
    let error = failedReads[object.id] ?? .damaged(path: store.path, reason: reason)
    hideRow(AnyObjectID(end.target.interned, object.uuid), error)
  }

  private func rowIDs(_ end: ResolvedSchema.Relationship, of storage: ObjectStorage) -> [UniqueID] {
    guard end.places != nil else { return memberIDs(end, of: storage) }
    return askRows(end, of: storage) { (rows) throws(IndexSnapshot.Failure) in try rows.objects(0..<rows.count) } ?? []
  }

  /// Hides a row from the relationships of this context. From then on, saves of the context throw.
  func hideRow(_ row: AnyObjectID, _ error: StoreError) {
    hiddenRows[row] = error
    knownRows = nil
    didChange()
  }

  /// Inserts a detached object into this context. An object of another context stops the program.
  private func join(_ object: any PersistentModel) {
    if object._storage.host == nil { insertReachable(object) }
    requireOwn(object._storage, "relate")
  }

  /// Sets a reference. In a one-to-one, previous references to the target are emptied.
  private func refer(_ storage: ObjectStorage, _ slot: Int, to target: AnyObjectID?) {
    let old = storage.value(slot)
    let new: PropertyValue = target.map { .reference($0) } ?? .null
    guard old != new, !isOutOfReach(storage) else { return }
    if let target, let back = store.map.schema.derivedEnd(ofOneToOne: slot, of: storage.entity) {
      for other in membersToChange(back, of: target) where other != storage.uuid { letGo(other, back) }
    }
    record(storage, slot, from: old, to: new)
    if let end = store.map.schema.relationship(slot, of: storage.entity) { settlePlace(of: storage.id, end, target) }
  }

  /// Empties the reference of an object that stores the relationship `end`.
  private func letGo(_ uuid: UniqueID, _ end: ResolvedSchema.Relationship) {
    let id = AnyObjectID(end.target.interned, uuid)
    guard let map = store.map.map(id.name) else { return }
    if let live = liveInstance(of: id) {
      refer(live._storage, end.inverseSlot, to: nil)
    } else if let values = readingToChange(of: id, map)?.values, !values[end.inverseSlot].isNull {
      let change = PropertyChange(slot: end.inverseSlot, old: values[end.inverseSlot], new: .null)
      record(id, .updated([change]))
      if let back = store.map.schema.relationship(end.inverseSlot, of: end.target) { settlePlace(of: id, back, nil) }
    }
  }

  /// Like ``members(_:of:)``, but empty if the members cannot be read. Then the next save throws.
  private func membersToChange(_ end: ResolvedSchema.Relationship, of id: AnyObjectID) -> [UniqueID] {
    do {
      return try members(end, of: id.uuid)
    } catch {
      refusedEdits[id] = error
      return []
    }
  }
}
