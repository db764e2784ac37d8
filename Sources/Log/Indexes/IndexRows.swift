import RepriseLMDB
import RepriseObjectModel

/// The rows of objects in one index of a stored schema. Needs no models.
package struct IndexRows {
  package private(set) var changes: IndexChanges
  private let index: StoredIndex

  /// `nil` for a property without an index.
  package init?(_ property: StoredProperty, of entity: StoredEntity) {
    guard let index = StoredIndex(property, of: entity) else { return nil }
    self.index = index
    changes = IndexChanges(index: index.number)
  }

  package var number: UInt32 { index.number }
  package var isCounted: Bool { index.kind != nil }
  package var count: Int { changes.count }
  /// The size in memory.
  package var byteCount: Int { changes.byteCount }

  package mutating func add(_ record: RecordReader, _ uuid: UniqueID) throws(MalformedBytes) {
    if let kind = index.kind {
      changes.replace(nil, by: try index.values(in: record.fields), kind, uuid)
    } else if let raw = try record.fields.raw(index.columns[0].number), let target = try UniqueID(reference: raw) {
      changes.insert(target: target, source: uuid)
    }
  }

  /// How many bytes of rows are collected before the caller must write or compare them. A limit is necessary because
  /// texts have many words.
  package static let sliceBytes = 64 << 20

  /// Adds the rows of an entity's objects in UUID order, until the rows have so many bytes. Returns the first object
  /// that was left out, or `nil` if none was.
  package mutating func add(
    objectsOf entity: StoredEntity, from first: UniqueID, upTo sliceBytes: Int, _ objects: ObjectTable, _ view: View
  ) throws(StorageError) -> UniqueID? {
    var rest: UniqueID?
    try objects.scanRecords(entity.number, entity.name, from: first, view) { (uuid, record) throws(MalformedBytes) in
      if byteCount >= sliceBytes {
        rest = uuid
        return false
      }
      try add(record, uuid)
      return true
    }
    return rest
  }

  package mutating func removeAll() { changes = IndexChanges(index: number) }

  /// Writes the rows to the index, and empties this collection.
  package mutating func write(_ table: Table, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let rows = changes
    removeAll()
    if isCounted {
      try CountedIndex(number: number, table: table).apply(rows, in: transaction)
    } else {
      try PlainIndex(number: number, table: table).insert(rows, in: transaction)
    }
  }

  /// The objects with rows that the index lacks.
  package func lacking(_ table: Table, _ view: View) throws(StorageError) -> [UniqueID] {
    let keys = changes.keys.span.bytes
    var lacking: [UniqueID] = []
    for row in changes.changes {
      let key = keys.extracting(row.range)
      if try view.get(table, key: key) == nil, let uuid = RowKey.uuid(key) { lacking.append(uuid) }
    }
    return lacking
  }
}

extension UniqueID {
  /// Decodes the reference that a field holds. `nil` if it holds none.
  fileprivate init?(reference bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    guard bytes.first == ValueTag.reference.rawValue else { return nil }
    reader.offset += 1
    _ = try reader.number("an entity's number")
    self = try reader.uuid("an object's UUID")
  }
}
