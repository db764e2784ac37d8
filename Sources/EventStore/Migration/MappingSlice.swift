import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The operations of mappings in one transaction.
///
/// A slice remembers nothing of earlier slices: the content of the store shows what happened to an object. So repeating
/// a slice, after a kill or a salvage, has the same result.
struct MappingSlice {
  let migration: Migration
  let works: [MigrationState.Work]
  let tables: StoreTables
  let schema: StoredSchema
  let map: SchemaMap
  /// Whether nothing is written. Then none of the new objects may exist yet.
  let isTrial: Bool
  private var maps: [UInt32: EntityMap] = [:]
  private var takenProperties: [UInt32: Set<UInt32>] = [:]
  /// By entity, then by UUID, each object once.
  private(set) var operations: [SavePlan.Operation] = []
  private(set) var byteCount = 0

  init(
    _ migration: Migration, _ works: [MigrationState.Work], _ tables: StoreTables, _ models: ResolvedSchema,
    _ schema: StoredSchema, isTrial: Bool = false
  ) {
    self.migration = migration
    self.works = works
    self.tables = tables
    self.schema = schema
    map = SchemaMap(models, schema)
    self.isTrial = isTrial
  }

  var plan: SavePlan {
    SavePlan(operations.sorted { ($0.map.number, $0.uuid) < ($1.map.number, $1.uuid) })
  }

  mutating func forgetOperations() { (operations, byteCount) = ([], 0) }

  // MARK: Records

  typealias Record = (uuid: UniqueID, bytes: [UInt8])

  /// The next objects of an entity, and the first one after them.
  func records(
    of entity: UInt32, from first: UniqueID, limit: Int, bytes: Int, _ view: borrowing View
  ) throws(StoreError) -> (records: [Record], rest: UniqueID?) {
    var records: [Record] = []
    var rest: UniqueID?
    var size = 0
    try StoreError.converting { () throws(StorageError) in
      try ObjectTable(tables).scanRecords(entity, name(entity), from: first, view) {
        (uuid, record) throws(MalformedBytes) in
        if records.count == limit || size >= bytes {
          rest = uuid
          return false
        }
        records.append((uuid, [UInt8](record.bytes)))
        size += record.bytes.count
        return true
      }
    }
    return (records, rest)
  }

  func name(_ entity: UInt32) -> String { map.name(number: entity)?.string ?? "" }

  mutating func map(_ number: UInt32) throws(StoreError) -> EntityMap {
    if let known = maps[number] { return known }
    guard let entity = schema.entity(number: number), let map = EntityMap(allOf: entity, named: name(number)) else {
      throw .migration(.unfinished(version: migration.version))
    }
    maps[number] = map
    return map
  }

  mutating func bytes(
    of uuid: UniqueID, _ entity: UInt32, isTombstone: Bool = false, _ view: borrowing View
  ) throws(StoreError) -> [UInt8]? {
    let map = try map(entity)
    return try StoreError.converting { () throws(StorageError) in
      try ObjectTable(tables).bytes(of: uuid, map, isTombstone: isTombstone, view)
    }
  }

  /// The value of a property by its number. The property may be retired.
  mutating func value(
    _ number: UInt32, of entity: UInt32, in record: Record
  ) throws(StoreError) -> PropertyValue {
    let map = try map(entity)
    return try StoreError.converting { () throws(StorageError) in
      try ObjectTable(tables).parsing(record.uuid, map) { () throws(MalformedBytes) in
        try record.bytes.lend { (bytes) throws(MalformedBytes) in
          guard let raw = try RecordReader(bytes).fields.raw(number) else {
            return schema.entity(number: entity)?.property(number: number)?.defaultValue ?? .null
          }
          var reader = ByteReader(raw)
          return try reader.value(self.map)
        }
      }
    }
  }

  mutating func mapped(_ record: Record, of entity: UInt32) throws(StoreError) -> MappedObject {
    var values: [String: PropertyValue] = [:]
    let taken = taken(of: entity)
    for property in schema.entity(number: entity)?.properties ?? [] {
      switch property.role {
      case .attribute, .toOne(_, _, _, stores: true): break
      case .toOne, .toMany, .columns, .words: continue
      }
      // A property that this migration retires or carries still has a value. A property that another migration retired
      // has none.
      if property.name.isEmpty, !taken.contains(property.number) { continue }
      let name = property.name.isEmpty ? property.formerNames.last ?? "" : property.name
      if property.name.isEmpty, values[name] != nil { continue }
      values[name] = try value(property.number, of: entity, in: record)
    }
    return MappedObject(id: id(record.uuid, entity), values: values)
  }

  /// The properties whose values the works take.
  private mutating func taken(of entity: UInt32) -> Set<UInt32> {
    if let known = takenProperties[entity] { return known }
    let taken = Set(works.filter { $0.source == entity }.flatMap { $0.pairs.map(\.old) + [$0.reference] })
      .union(schema.carried(by: entity)).union(removed(of: entity))
    takenProperties[entity] = taken
    return taken
  }

  /// The attributes that this migration removes, which its closures may still read.
  private func removed(of number: UInt32) -> [UInt32] {
    guard let entity = schema.entity(number: number) else { return [] }
    return migration.removals.compactMap { removal in
      guard case .attribute(let name) = removal.subject,
        removal.entity == entity.lastName || entity.formerNames.contains(removal.entity)
          || schema.entity(of: removal, in: map.schema)?.number == number
      else { return nil }
      return entity.properties.last { $0.name.isEmpty && $0.formerNames.last == name }?.number
    }
  }

  func id(_ uuid: UniqueID, _ entity: UInt32) -> AnyObjectID {
    AnyObjectID(map.name(number: entity) ?? EntityName(""), uuid)
  }

  // MARK: Operations

  mutating func add(_ operation: SavePlan.Operation, _ size: Int) {
    operations.append(operation)
    byteCount += size
  }

  mutating func insert(
    _ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>, in entity: UInt32, for record: Record,
    _ work: MigrationState.Work, _ view: borrowing View
  ) throws(StoreError) {
    let map = try map(entity)
    for stored in map.stored {
      let property = map.entity.properties[stored.slot]
      guard property.attribute != nil, property.objection(to: values[stored.slot]) != nil else { continue }
      throw fail(record, of: work.source, work, "'\(property.name)' cannot hold the value \(values[stored.slot])")
    }
    var operation = SavePlan.Operation(map: map, uuid: uuid, change: .inserted(values), below: nil)
    operation.tombstone = try bytes(of: uuid, entity, isTombstone: true, view)
    add(operation, values.reduce(0) { $0 + $1.byteCount })
  }

  mutating func delete(_ record: Record, of entity: UInt32) throws(StoreError) {
    let below = try below(record, of: entity)
    add(
      SavePlan.Operation(map: try map(entity), uuid: record.uuid, change: .deleted(below.values), below: below),
      record.bytes.count)
  }

  mutating func update(
    _ record: Record, of entity: UInt32, _ changes: [(number: UInt32, value: PropertyValue)]
  ) throws(StoreError) {
    let map = try map(entity)
    let below = try below(record, of: entity)
    var updates: [PropertyChange] = []
    var cleared: [UInt32] = []
    for (number, value) in changes {
      guard let slot = map.slot(number) else {
        if value.isNull { cleared.append(number) }
        continue
      }
      if !value.isIdentical(to: below.values[slot]) {
        updates.append(PropertyChange(slot: slot, old: below.values[slot], new: value))
      }
    }
    if updates.isEmpty, cleared.isEmpty { return }
    var operation = SavePlan.Operation(map: map, uuid: record.uuid, change: .updated(updates), below: below)
    operation.cleared = cleared
    add(operation, record.bytes.count)
  }

  private mutating func below(_ record: Record, of entity: UInt32) throws(StoreError) -> LowerObject {
    let map = try map(entity)
    let values = try StoreError.converting { () throws(StorageError) in
      try ObjectTable(tables).decode(record.bytes, id(record.uuid, entity), map, self.map)
    }
    return LowerObject(values, record: record.bytes)
  }
}
