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

  func lastValues(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    guard let tombstone = try tombstone(uuid, entity) else { return nil }
    return try StoreError.converting { () throws(StorageError) -> ContiguousArray<PropertyValue>? in
      let id = AnyObjectID(entity.entity.interned, uuid)
      let key = ObjectKey(tombstoneOf: entity.number, uuid: uuid)
      let position = try tables.objects.parsing(key.bytes, "what is left of \(id)") { () throws(MalformedBytes) in
        try tombstone.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).position }
      }
      var values: ContiguousArray<PropertyValue>?
      do throws(StorageError) {
        try LogTable(tables.log).forEachEvent(of: position, view) { (event) throws(ReplayError) in
          guard let change = event.change, change.kind == .deleted, change.object.uuid == uuid,
            change.object.entity == entity.number
          else { return }
          values = try change.inverse.applied(to: nil, entity, map)
        }
      } catch {
        if case .rowsDropped = error { return nil }
        throw error
      }
      return values
    }
  }
}
