import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The head of the log as a transaction sees it: within a commit, including the earlier saves of its group.
struct HeadState: LowerState, ~Escapable {
  private let view: View
  private let map: SchemaMap
  private let tables: StoreTables
  private let objects: ObjectTable
  /// Rows of earlier saves in the group that are not in the table yet.
  private let group: GroupRows
  private var ends: EntityEnds?

  @_lifetime(copy view)
  init(_ view: View, _ map: SchemaMap, _ tables: StoreTables, _ group: GroupRows = GroupRows()) {
    self.view = view
    self.map = map
    self.tables = tables
    self.group = group
    objects = ObjectTable(tables)
  }

  func object(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> LowerObject? {
    try StoreError.converting { () throws(StorageError) in
      guard let record = try objects.bytes(of: uuid, entity, view) else { return nil }
      return LowerObject(
        try objects.decode(record, AnyObjectID(entity.entity.interned, uuid), entity, map), record: record)
    }
  }

  func tombstone(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> [UInt8]? {
    try StoreError.converting { () throws(StorageError) in
      try objects.bytes(of: uuid, entity, isTombstone: true, view)
    }
  }

  func wasThere(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> Bool {
    try tombstone(uuid, entity) != nil
  }

  /// Only an object that was saved can have an update here, so a missing one may have been in the log.
  func mayHaveForgotten(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> Bool { true }

  // MARK: References

  func sources(of target: UniqueID, _ end: ResolvedSchema.Relationship) throws(StoreError) -> [UniqueID] {
    guard let source = map.map(end.target.interned), let number = source.indexes[end.inverseSlot] else { return [] }
    return try sources(of: target, index: number)
  }

  func sources(of target: UniqueID, _ hidden: HiddenReference) throws(StoreError) -> [UniqueID] {
    try sources(of: target, index: hidden.index)
  }

  private func sources(of target: UniqueID, index number: UInt32) throws(StoreError) -> [UniqueID] {
    try StoreError.converting { () throws(StorageError) in
      try PlainIndex(number: number, table: tables.indexes).members(of: target, in: view)
    }
  }

  // MARK: Unique values

  func columns(
    of index: UniqueIndex, in record: [UInt8]?, _ uuid: UniqueID, _ entity: EntityMap
  ) throws(StoreError) -> [PropertyValue]? {
    try StoreError.converting { () throws(StorageError) in
      do throws(MalformedBytes) {
        return try TransactionAppender.withRecord(record) { (record) throws(MalformedBytes) in
          try index.index.values(in: record?.fields)
        }
      } catch {
        throw objects.damaged(uuid, entity, error)
      }
    }
  }

  func objects(
    with key: UniqueKey, _ index: UniqueIndex, _ entity: EntityMap
  ) throws(StoreError) -> [UniqueID] {
    try StoreError.converting { () throws(StorageError) in
      let stored = try CountedIndex(number: index.number, table: tables.indexes)
        .objects(beginningWith: key.row.span.bytes, in: view)
      return group.isEmpty ? stored : group.objects(with: key.row, index.number, stored: stored)
    }
  }

  // MARK: New objects

  /// The last object and the last deleted object of an entity. New objects sort after both, which saves a look-up of
  /// each.
  private struct EntityEnds {
    let entity: UInt32
    let object: UniqueID
    let tombstone: UniqueID
  }

  @_lifetime(self: copy self)
  mutating func mayKnow(_ uuid: UniqueID, _ entity: EntityMap, isTombstone: Bool) throws(StoreError) -> Bool {
    let known = try StoreError.converting { () throws(StorageError) in try ends(of: entity) }
    ends = known
    return uuid <= (isTombstone ? known.tombstone : known.object)
  }

  private func ends(of entity: EntityMap) throws(StorageError) -> EntityEnds {
    if let ends, ends.entity == entity.number { return ends }
    return EntityEnds(
      entity: entity.number, object: try objects.last(of: entity.number, view),
      tombstone: try objects.last(of: entity.number | ObjectKey.tombstoneBit, view))
  }

  // MARK: Deleted objects

  func deletion(
    of uuid: UniqueID, _ entity: EntityMap, _ known: [PastDeletion]
  ) throws(StoreError) -> PastDeletion? {
    guard let tombstone = try tombstone(uuid, entity) else { return nil }
    return try StoreError.converting { () throws(StorageError) -> PastDeletion? in
      let id = AnyObjectID(entity.entity.interned, uuid)
      let key = ObjectKey(tombstoneOf: entity.number, uuid: uuid)
      let position = try tables.objects.parsing(key.bytes, "the mark of the deleted object \(id)") {
        () throws(MalformedBytes) in
        try tombstone.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).position }
      }
      if let known = known.first(where: { $0.position == position }) { return known }
      let deletion = PastDeletion(at: position)
      do throws(StorageError) {
        try LogTable(tables.log).forEachEvent(of: position, view) { (event) throws(ReplayError) in
          if let (object, change) = try ending(event) { deletion.add(object, change) }
        }
      } catch {
        if case .rowsDropped = error { return nil }
        throw error
      }
      return deletion
    }
  }

  /// The change of an event, if it is a deletion. Of an update, the references that it emptied.
  private func ending(_ event: LogEvent) throws(ReplayError) -> (object: AnyObjectID, change: ObjectChange)? {
    guard let change = event.change, change.kind != .inserted,
      var ending = SlotChange(change.kind, of: change.object, map)
    else { return nil }
    try ReplayError.wrapping { () throws(MalformedBytes) in
      if let last = change.whole { return try ending.take(last, map) }
      let entity = ending.entity
      var fields = change.fields
      while let (number, field) = try fields.next() {
        guard case .set(let old, let new) = field, let slot = entity.slot(number),
          map.schema.relationship(slot, of: entity.entity) != nil
        else { continue }
        let (was, now) = (try entity.value(old, slot, map), try entity.value(new, slot, map))
        if now.isNull { ending.add(slot, from: was, to: now) }
      }
    }
    return ending.isNothing ? nil : ending.finished
  }
}
