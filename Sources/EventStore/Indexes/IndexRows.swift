import RepriseLMDB
import RepriseObjectModel

/// The rows of objects in one index of a stored schema. Needs no models.
struct IndexRows {
  private var rows: IndexChanges
  private let index: StoredIndex

  /// `nil` for a property without an index.
  init?(_ property: StoredProperty, of entity: StoredEntity) {
    guard let index = StoredIndex(property, of: entity) else { return nil }
    self.index = index
    rows = IndexChanges(index: index.number)
  }

  var number: UInt32 { index.number }
  var isCounted: Bool { index.kind != nil }
  var count: Int { rows.count }
  /// The size in memory.
  var byteCount: Int { rows.byteCount }

  mutating func add(_ record: RecordReader, _ uuid: UniqueID) throws(MalformedBytes) {
    if let kind = index.kind {
      rows.replace(nil, by: try index.values(in: record.fields), kind, uuid)
    } else if let raw = try record.fields.raw(index.columns[0].number), let target = try UniqueID(reference: raw) {
      rows.insert(target: target, source: uuid)
    }
  }

  /// Adds the rows of all objects of an entity.
  mutating func add(allOf entity: StoredEntity, _ objects: ObjectTable, _ view: View) throws(StorageError) {
    try objects.forEachRecord(entity.number, entity.name, view) { (uuid, record) throws(MalformedBytes) in
      try add(record, uuid)
    }
  }

  /// Writes the rows to the index, and empties this collection.
  mutating func write(_ table: Table, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let rows = self.rows
    self.rows = IndexChanges(index: number)
    if isCounted {
      try CountedIndex(number: number, table: table).apply(rows, in: transaction)
    } else {
      try PlainIndex(number: number, table: table).insert(rows, in: transaction)
    }
  }

  /// The objects with rows that the index lacks.
  func lacking(_ table: Table, _ view: View) throws(StorageError) -> [UniqueID] {
    let keys = rows.keys.span.bytes
    var lacking: [UniqueID] = []
    for row in rows.changes {
      let key = keys.extracting(row.range)
      if try view.get(table, key: key) == nil, let uuid = RowKey.uuid(key) { lacking.append(uuid) }
    }
    return lacking
  }
}

extension UniqueID {
  /// Decodes the reference that a field holds; `nil` if it holds none.
  fileprivate init?(reference bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    guard bytes.first == ValueTag.reference.rawValue else { return nil }
    reader.offset += 1
    _ = try reader.number("an entity's number")
    self = try reader.uuid("an object's UUID")
  }
}
