import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  /// The rows of an object's members in an ordered relationship.
  ///
  /// O(log n), and a step for each change since the last call.
  func orderedRows(
    _ end: ResolvedSchema.Relationship, _ places: ResolvedSchema.Relationship.Places, of owner: AnyObjectID
  ) throws(StoreError) -> OrderedRows {
    let projection = self.projection
    let stamps = projection.histories.map(\.stamp)
    if let known = knownRows, known.relationship === end, known.owner == owner.uuid,
      known.position == projection.position, known.layers == stamps
    {
      return known.rows
    }
    guard let map = store.map.map(end.target.interned) else { return OrderedRows([]) }
    let prefix = OrderKey.bytes(of: .reference(owner))
    let range = KeyRange(beginningWith: prefix)
    let rows: OrderedRows
    do throws(IndexSnapshot.Failure) {
      let index = try IndexSnapshot.Failure.reading { () throws(StoreError) in
        try projection.index(map, slot: places.index)
      }
      let all = if let index { try OrderedRows(index, range) } else { OrderedRows([]) }
      rows = hiddenRows.isEmpty ? all : try all.without { isHidden($0, end) }
    } catch {
      switch error {
      case .store(let error) where !store.isEmptyYet: throw error
      case .store, .outgrown: rows = try readRows(end, places, of: owner, map)
      }
    }
    knownRows = KnownRows(
      relationship: end, owner: owner.uuid, position: projection.position, layers: stamps, rows: rows)
    return rows
  }

  private func readRows(
    _ end: ResolvedSchema.Relationship, _ places: ResolvedSchema.Relationship.Places, of owner: AnyObjectID,
    _ map: EntityMap
  ) throws(StoreError) -> OrderedRows {
    var keys: [[UInt8]] = []
    for uuid in try members(end, of: owner.uuid) where !isHidden(uuid, end) {
      guard let values = try reading(of: AnyObjectID(end.target.interned, uuid), map).values else { continue }
      keys += end.target.rowKeys(places.index, values, uuid)
    }
    return OrderedRows(keys)
  }

  /// Answers a question from the rows. If a read fails, records the failure and returns `nil`.
  func askRows<Answer>(
    _ end: ResolvedSchema.Relationship, of storage: ObjectStorage,
    _ question: (OrderedRows) throws(IndexSnapshot.Failure) -> Answer
  ) -> Answer? {
    guard let places = end.places else { return nil }
    reads?.addEverything()
    do throws(StoreError) {
      for _ in 0..<2 {
        let rows = try orderedRows(end, places, of: storage.id)
        do throws(IndexSnapshot.Failure) {
          return try question(rows)
        } catch {
          // The index can no longer be used, because other contexts have saved too many changes meanwhile.
          knownRows = nil
          if case .store(let error) = error { throw error }
        }
      }
      guard let map = store.map.map(end.target.interned) else { return nil }
      let rows = try readRows(end, places, of: storage.id, map)
      return try? question(rows)
    } catch {
      failedReads[storage.id] = error
      return nil
    }
  }

  /// The object that a row stands for: the member itself, or the other end of a link. A placeholder if damage hides it,
  /// so that there are as many members as rows.
  func member(_ row: UniqueID?, _ end: ResolvedSchema.Relationship) -> any PersistentModel {
    do throws(StoreError) {
      guard let row else {
        throw .damaged(
          path: store.path,
          reason: "the index that orders the \(end.destination.name) objects of the relationship has a row without an "
            + "object")
      }
      guard let map = store.map.map(end.destination.interned) else {
        throw .missingModels([end.destination.name], given: [])
      }
      let id = if let far = end.far { try farEnd(far, of: row, end) } else { AnyObjectID(map.entity.interned, row) }
      return materialize(id, map)
    } catch {
      return unreadableInstance(end.destination, error, uuid: row ?? UniqueID())
    }
  }

  /// The other end of a link. Throws if damage hides it.
  func farEnd(
    _ far: ResolvedSchema.Relationship.Far, of link: UniqueID, _ end: ResolvedSchema.Relationship
  ) throws(StoreError) -> AnyObjectID {
    let id = AnyObjectID(end.target.interned, link)
    guard let map = store.map.map(id.name) else { throw .missingModels([end.target.name], given: []) }
    guard let member = try reading(of: id, map).values?[far.slot].reference else {
      throw .damaged(path: store.path, reason: "an index refers to the object \(id), which the store does not have")
    }
    return member
  }

  /// The object whose record is a member's row: the member itself, or its link.
  func rowObject(_ object: ObjectStorage, _ end: ResolvedSchema.Relationship, of owner: ObjectStorage) -> AnyObjectID {
    end.far == nil ? object.id : end.link(owner.uuid, object.uuid).id
  }

  package func member(at position: Int, _ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? {
    guard let end = store.map.schema.relationship(slot, of: storage.entity) else { return nil }
    var isThere = false
    let row = askRows(end, of: storage) { (rows) throws(IndexSnapshot.Failure) in
      isThere = (0..<rows.count).contains(position)
      return isThere ? try rows.object(at: position) : nil
    }
    guard let row else { return unreadMember(end, of: storage) }
    return isThere ? member(row, end) : nil
  }

  /// A placeholder of a member whose row could not be read.
  func unreadMember(_ end: ResolvedSchema.Relationship, of owner: ObjectStorage) -> any PersistentModel {
    let error =
      failedReads[owner.id]
      ?? .damaged(
        path: store.path,
        reason: "a relationship of \(owner.id) cannot be read")
    return unreadableInstance(end.destination, error)
  }

  package func position(of object: any PersistentModel, _ slot: Int, of storage: ObjectStorage) -> Int? {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), let places = end.places,
      object._storage.host === self, object._storage.currentState != .deleted
    else { return nil }
    let id = rowObject(object._storage, end, of: storage)
    guard let map = store.map.map(id.name) else { return nil }
    do throws(StoreError) {
      guard let values = try reading(of: id, map).values,
        let key = map.entity.rowKeys(places.index, values, id.uuid).first
      else { return nil }
      return askRows(end, of: storage) { (rows) throws(IndexSnapshot.Failure) in try rows.position(of: key) } ?? nil
    } catch {
      failedReads[id] = error
      return nil
    }
  }
}
