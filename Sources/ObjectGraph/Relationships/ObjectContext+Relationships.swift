import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  package func toOne(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? {
    let map = store.map
    if map.map(storage.entity.interned)?.stores(slot) == true {
      guard let id = storage.value(slot).reference, let map = map.map(id.name) else { return nil }
      // Deleting the target would have emptied the reference, so the target exists, and a fault is enough.
      return liveInstance(of: id) ?? materialize(id, map)
    }
    guard let end = map.schema.relationship(slot, of: storage.entity),
      let first = memberIDs(end, of: storage).first, let map = map.map(end.target.interned)
    else { return nil }
    return materialize(AnyObjectID(end.target.interned, first), map)
  }

  package func toMany(_ slot: Int, of storage: ObjectStorage) -> [any PersistentModel] {
    guard let end = store.map.schema.relationship(slot, of: storage.entity),
      let map = store.map.map(end.destination.interned)
    else { return [] }
    var members: [any PersistentModel]
    if end.places != nil, end.isToMany {
      var count = 0
      let rows = askRows(end, of: storage) { (rows) throws(IndexSnapshot.Failure) in
        count = rows.count
        return try rows.objects(0..<count)
      }
      members = (rows ?? []).map { member($0, end) }
      // A collection must have as many elements as its `count`.
      while members.count < count { members.append(unreadMember(end, of: storage)) }
    } else {
      let found = destinations(end, of: storage)
      members = found.known.map { materialize(AnyObjectID(map.entity.interned, $0), map) }
      for link in found.unread { members.append(member(link, end)) }
    }
    return members
  }

  package func toManyFirst(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? {
    guard let end = store.map.schema.relationship(slot, of: storage.entity),
      let map = store.map.map(end.destination.interned)
    else { return nil }
    let found = destinations(end, of: storage)
    if let first = found.known.first { return materialize(AnyObjectID(map.entity.interned, first), map) }
    return found.unread.first.map { member($0, end) }
  }

  /// The objects that a to-many without an order leads to, ascending, and the links whose other end cannot be read.
  private func destinations(
    _ end: ResolvedSchema.Relationship, of storage: ObjectStorage
  ) -> (known: [UniqueID], unread: [UniqueID]) {
    let rows = memberIDs(end, of: storage)
    guard let far = end.far else { return (rows, []) }
    var (known, unread): ([UniqueID], [UniqueID]) = ([], [])
    for link in rows {
      if let member = try? farEnd(far, of: link, end) { known.append(member.uuid) } else { unread.append(link) }
    }
    return (known.sorted(), unread)
  }

  package func contains(_ object: any PersistentModel, at slot: Int, of storage: ObjectStorage) -> Bool {
    guard object._storage.host === self, object._storage.currentState != .deleted,
      let end = store.map.schema.relationship(slot, of: storage.entity)
    else { return false }
    guard end.far != nil else { return object._storage.value(end.inverseSlot).reference == storage.id }
    guard let map = store.map.map(end.target.interned) else { return false }
    do throws(StoreError) {
      return try reading(of: end.link(storage.uuid, object._storage.uuid).id, map).values != nil
    } catch {
      failedReads[storage.id] = error
      return false
    }
  }

  package func toManyCount(_ slot: Int, of storage: ObjectStorage) -> Int {
    guard let end = store.map.schema.relationship(slot, of: storage.entity) else { return 0 }
    if end.places != nil, end.isToMany { return askRows(end, of: storage) { rows in rows.count } ?? 0 }
    return memberIDs(end, of: storage).count
  }

  /// The objects at the derived end of a relationship, ascending. Empty if they cannot be read. Then the error is
  /// recorded.
  func memberIDs(_ end: ResolvedSchema.Relationship, of storage: ObjectStorage) -> [UniqueID] {
    do {
      let members = try members(end, of: storage.uuid)
      return hiddenRows.isEmpty ? members : members.filter { !isHidden($0, end) }
    } catch {
      failedReads[storage.id] = error
      return []
    }
  }

  /// Whether this context hides the row of a member or link.
  func isHidden(_ row: UniqueID, _ end: ResolvedSchema.Relationship) -> Bool {
    hiddenRows[AnyObjectID(end.target.interned, row)] != nil
  }

  /// The objects that refer to `target` in this context's view, ascending: the members of the derived end of a
  /// relationship.
  func members(_ end: ResolvedSchema.Relationship, of target: UniqueID) throws(StoreError) -> [UniqueID] {
    guard let map = store.map.map(end.target.interned) else { return [] }
    reads?.add(at: position) { try AnyHashable($0.members(end, map, of: target)) }
    if layers.isEmpty, position < store.log.head { return try projection.members(end, map, of: target) }
    let stored = try store.objects.sources(map, slot: end.inverseSlot, target: target, at: position)
    return try layers.members(end, of: target, stored: stored) { (id) throws(StoreError) in
      try reading(of: id, map).values
    }
  }
}
