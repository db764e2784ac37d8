import RepriseLMDB
import RepriseObjectModel

/// The head of the log as a transaction sees it: with the earlier saves of its group, within a commit.
struct HeadState: LowerState, ~Escapable {
  private let view: View
  private let map: SchemaMap
  private let tables: StoreTables
  private let path: String
  private var ends: EntityEnds?

  @_lifetime(copy view)
  init(_ view: View, _ map: SchemaMap, _ tables: StoreTables, path: String) {
    self.view = view
    self.map = map
    self.tables = tables
    self.path = path
  }

  private var objects: ObjectTable { ObjectTable(tables.objects, path: path) }

  func object(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> LowerObject? {
    guard let record = try objects.bytes(of: uuid, entity, view) else { return nil }
    return LowerObject(
      try objects.decode(record, AnyObjectID(entity.entity.interned, uuid), entity, map), record: record)
  }

  func tombstone(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> [UInt8]? {
    try objects.bytes(of: uuid, entity, isTombstone: true, view)
  }

  func wasThere(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> Bool {
    try tombstone(uuid, entity) != nil
  }

  // MARK: Who refers

  func sources(of target: UniqueID, _ end: ResolvedSchema.Relationship) throws(StoreError) -> [UniqueID] {
    guard let source = map.map(end.target.interned), let number = source.indexes[end.inverseSlot] else { return [] }
    return try sources(of: target, index: number)
  }

  func sources(of target: UniqueID, _ hidden: HiddenReference) throws(StoreError) -> [UniqueID] {
    try sources(of: target, index: hidden.index)
  }

  private func sources(of target: UniqueID, index number: UInt32) throws(StoreError) -> [UniqueID] {
    do throws(IndexError) {
      return try PlainIndex(number: number, table: tables.indexes).members(of: target, in: view)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  // MARK: What is new

  /// The last object of an entity, and the last deleted one: new objects lie behind both, which saves looking for each.
  private struct EntityEnds {
    let entity: UInt32
    let object: UniqueID
    let tombstone: UniqueID
  }

  @_lifetime(self: copy self)
  mutating func mayKnow(_ uuid: UniqueID, _ entity: EntityMap, isTombstone: Bool) throws(StoreError) -> Bool {
    let ends = try ends(of: entity)
    return uuid <= (isTombstone ? ends.tombstone : ends.object)
  }

  @_lifetime(self: copy self)
  private mutating func ends(of entity: EntityMap) throws(StoreError) -> EntityEnds {
    if let ends, ends.entity == entity.number { return ends }
    let ends = EntityEnds(
      entity: entity.number, object: try objects.last(of: entity.number, view),
      tombstone: try objects.last(of: entity.number | ObjectKey.tombstoneBit, view))
    self.ends = ends
    return ends
  }

  // MARK: What was

  func lastValues(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    guard let tombstone = try tombstone(uuid, entity) else { return nil }
    let id = AnyObjectID(entity.entity.interned, uuid)
    let position: Position
    do throws(MalformedBytes) {
      position = try tombstone.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).position }
    } catch {
      throw .damaged(path: path, reason: "what is left of \(id): \(error)")
    }
    let transaction = try LogTable(tables.log, path: path).windowTransaction(position, view, map)
    guard let deletion = transaction.changes.last(where: { $0.object == id }) else { return nil }
    return try deletion.change.before(nil, id, entity, map, path: path)
  }
}
