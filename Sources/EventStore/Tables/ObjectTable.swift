import RepriseLMDB
import RepriseObjectModel

/// The table `objects`: the head record of each object.
struct ObjectTable {
  let rows: ChunkedRows

  init(_ table: Table) { rows = ChunkedRows(table, numbersFirst: false) }

  /// A copy of an object's record; `nil` if there is none.
  func bytes(
    of uuid: UniqueID, _ map: EntityMap, isTombstone: Bool = false, _ view: View
  ) throws(StorageError) -> [UInt8]? {
    let key = CollectionOfOne(
      isTombstone ? ObjectKey(tombstoneOf: map.number, uuid: uuid) : ObjectKey(entity: map.number, uuid: uuid))
    return try rows.read(view, key: key.span.bytes) { (bytes) throws(StorageError) in [UInt8](bytes) }
  }

  /// Decodes an object's values from the mapped bytes; `nil` if it does not exist.
  func values(
    of uuid: UniqueID, _ map: EntityMap, _ schema: SchemaMap, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    try withRecord(of: uuid, map, view) { (record) throws(MalformedBytes) in try record.values(map, schema) }
  }

  /// The highest UUID under the number of an entity, or of its tombstones; zero if there is none.
  func last(of number: UInt32, _ view: View) throws(StorageError) -> UniqueID {
    let (next, isLast) = number.addingReportingOverflow(1)
    let end = CollectionOfOne(next.bigEndian)
    var cursor = try view.cursor(rows.table)
    // The key of a later chunk is its object's key and a number.
    let hasMore = try isLast ? false : cursor.seek(end.span.bytes) != nil
    let entry = try hasMore ? cursor.previous() : cursor.last()
    guard let entry, entry.key.byteCount >= ObjectKey.size else { return .zero }
    let key = entry.key.withUnsafeBytes { ObjectKey(UnsafeRawBufferPointer(rebasing: $0[..<ObjectKey.size])) }
    guard let key, key.isOf(number) else { return .zero }
    return key.uuid
  }

  func decode(
    _ record: [UInt8], _ id: AnyObjectID, _ map: EntityMap, _ schema: SchemaMap
  ) throws(StorageError) -> ContiguousArray<PropertyValue> {
    try parsing(id.uuid, map) { () throws(MalformedBytes) in
      try record.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).values(map, schema) }
    }
  }

  /// Parses a copy of an object's record; malformed bytes become damage to its row.
  func parsing<Result>(
    _ uuid: UniqueID, _ map: EntityMap, _ body: () throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    try rows.table.parsing(
      ObjectKey(entity: map.number, uuid: uuid).bytes, "the record of \(map.entity.name)/\(uuid)", body)
  }

  /// Lends an object's record; `nil` if there is none.
  @inline(__always)
  func withRecord<Result>(
    of uuid: UniqueID, _ map: EntityMap, _ view: View, _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    try withRecord(of: uuid, map, view.readerOfOne(rows.table), body)
  }

  /// Lends the tombstone of a deleted object; `nil` if there is none.
  func withTombstone<Result>(
    of uuid: UniqueID, _ map: EntityMap, _ view: View, _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    let key = CollectionOfOne(ObjectKey(tombstoneOf: map.number, uuid: uuid))
    return try rows.read(view, key: key.span.bytes, "the tombstone of \(map.entity.name)/\(uuid)") {
      (bytes) throws(MalformedBytes) in
      try body(RecordReader(bytes))
    }
  }

  /// A reader for many objects.
  @_lifetime(copy view)
  func reader(_ view: View) -> TableReader { view.reader(rows.table) }

  /// Lends an object's record, one of many; `nil` if there is none.
  @inline(__always)
  func withRecord<Result>(
    of uuid: UniqueID, _ map: EntityMap, _ reader: TableReader, _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    let key = CollectionOfOne(ObjectKey(entity: map.number, uuid: uuid))
    return try rows.read(reader, key: key.span.bytes, "the record of \(map.entity.name)/\(uuid)") {
      (bytes) throws(MalformedBytes) in
      try body(RecordReader(bytes))
    }
  }

  /// Calls `body` with every record of an entity, in UUID order.
  ///
  /// - Parameter name: The entity's name, for errors.
  func forEachRecord(
    _ entity: UInt32, _ name: String, _ view: View, _ body: (UniqueID, RecordReader) throws(MalformedBytes) -> Void
  ) throws(StorageError) {
    try scanRecords(entity, name, view) { (uuid, record) throws(MalformedBytes) in
      try body(uuid, record)
      return true
    }
  }

  /// Calls `body` with the records of an entity from a UUID on, in UUID order, until it returns false.
  func scanRecords(
    _ entity: UInt32, _ name: String, from first: UniqueID = .zero, _ view: View,
    _ body: (UniqueID, RecordReader) throws(MalformedBytes) -> Bool
  ) throws(StorageError) {
    let start = CollectionOfOne(ObjectKey(entity: entity, uuid: first))
    try rows.scan(view, from: start.span.bytes) { (row, bytes) throws(StorageError) in
      guard let key = ObjectKey(row), !key.isTombstone, key.entity == entity else { return false }
      return try rows.table.parsing(key.bytes, "the record of \(name)/\(key.uuid)") { () throws(MalformedBytes) in
        try body(key.uuid, RecordReader(bytes))
      }
    }
  }
}
