import RepriseLMDB
import RepriseObjectModel

/// The table `objects`: the head record of each object.
///
/// Callers read and write whole records. Only this table knows which of their values are in another table
/// (``joined(_:_:_:)``, ``split(_:_:replacing:_:)``). Callers that request single fields know it, too.
@usableFromInline
package struct ObjectTable: Sendable {
  package let rows: ChunkedRows
  package let longValues: LongValueTable

  package var table: Table { rows.table }

  package init(_ tables: StoreTables) { self.init(tables.objects, LongValueTable(tables)) }

  package init(_ objects: Table, _ longValues: LongValueTable) {
    rows = ChunkedRows(objects, numbersFirst: false)
    self.longValues = longValues
  }

  /// A copy of an object's record. `nil` if there is none.
  package func bytes(
    of uuid: UniqueID, _ map: EntityMap, isTombstone: Bool = false, _ view: View
  ) throws(StorageError) -> [UInt8]? {
    try bytes(
      isTombstone ? ObjectKey(tombstoneOf: map.number, uuid: uuid) : ObjectKey(entity: map.number, uuid: uuid), view)
  }

  /// A copy of the record with a key. `nil` if there is none.
  package func bytes(_ key: ObjectKey, _ view: View) throws(StorageError) -> [UInt8]? {
    let row = CollectionOfOne(key)
    return try rows.read(view, key: row.span.bytes) { (bytes) throws(StorageError) in
      RecordReader.isSplit(bytes) ? try joined(bytes, key, view) : [UInt8](bytes)
    }
  }

  /// The head of an object's record. `nil` if there is none.
  func header(
    of uuid: UniqueID, _ map: EntityMap, _ view: View
  ) throws(StorageError) -> RecordHeader? {
    try withStored(of: uuid, map, view.readerOfOne(table)) { (stored) throws(StorageError) in
      try reader(of: stored, uuid, map).header
    }
  }

  /// Lends the record with a key. `nil` if there is none.
  ///
  /// - Parameter name: The entity's name, for errors.
  @inlinable package func withRecord<Result>(
    _ key: ObjectKey, _ name: String, _ view: View, _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    var result: Result?
    try visitRecord(key, name, view) { (record) throws(MalformedBytes) in result = try body(record) }
    return result
  }

  /// ``withRecord(_:_:_:)`` without a result, so that it is compiled once. Does not call `body` if there is no record.
  @usableFromInline func visitRecord(
    _ key: ObjectKey, _ name: String, _ view: View, _ body: (RecordReader) throws(MalformedBytes) -> Void
  ) throws(StorageError) {
    let row = CollectionOfOne(key)
    _ = try rows.read(view, key: row.span.bytes) { (stored) throws(StorageError) in
      try parse(stored, key, name, view, body)
    }
  }

  /// Whether there is a record with a key.
  package func has(_ key: ObjectKey, _ view: View) throws(StorageError) -> Bool {
    let row = CollectionOfOne(key)
    return try view.get(table, key: row.span.bytes) != nil
  }

  /// The problem of a record's key, as a part of a sentence. `nil` if there is none. An object has one record: under
  /// its key or, after its deletion, under the key of its tombstone.
  package func problem(of key: ObjectKey, _ kind: RecordKind, _ view: View) throws(StorageError) -> String? {
    guard key.isTombstone == (kind == .tombstone) else {
      return "it has the key of \(key.isTombstone ? "a deleted" : "an existing") object"
    }
    guard key.isTombstone, try has(ObjectKey(entity: key.entity, uuid: key.uuid), view) else { return nil }
    return "the object exists, but is also marked as deleted"
  }

  /// Decodes an object's values from the mapped bytes. `nil` if it does not exist.
  package func values(
    of uuid: UniqueID, _ map: EntityMap, _ schema: SchemaMap, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    try withRecord(of: uuid, map, view) { (record) throws(MalformedBytes) in try record.values(map, schema) }
  }

  /// Decodes the values of one of many objects. `nil` if it does not exist.
  package func values(
    of uuid: UniqueID, _ map: EntityMap, _ schema: SchemaMap, _ reader: TableReader
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    try withRecord(of: uuid, map, reader) { (record) throws(MalformedBytes) in try record.values(map, schema) }
  }

  /// Decodes the values of one of many objects, and the head of its record if the object changed after a position. Most
  /// objects did not, and need no look at the log.
  package func values(
    of uuid: UniqueID, _ map: EntityMap, changedAfter position: Position, _ schema: SchemaMap, _ reader: TableReader
  ) throws(StorageError) -> (values: ContiguousArray<PropertyValue>, changed: RecordHeader?)? {
    try withRecord(of: uuid, map, reader) { (record) throws(MalformedBytes) in
      (try record.values(map, schema), record.position > position ? record.header : nil)
    }
  }

  /// The highest UUID under the number of an entity, or of its tombstones. Zero if there is none.
  package func last(of number: UInt32, _ view: View) throws(StorageError) -> UniqueID {
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

  package func decode(
    _ record: [UInt8], _ id: AnyObjectID, _ map: EntityMap, _ schema: SchemaMap
  ) throws(StorageError) -> ContiguousArray<PropertyValue> {
    try parsing(id.uuid, map) { () throws(MalformedBytes) in
      try record.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).values(map, schema) }
    }
  }

  /// Parses a copy of an object's record; malformed bytes become damage to its row.
  @inlinable @inline(__always)
  package func parsing<Result>(
    _ uuid: UniqueID, _ map: EntityMap, _ body: () throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    do throws(MalformedBytes) { return try body() } catch { throw damaged(uuid, map, error) }
  }

  /// The error for malformed bytes in an object's row.
  @usableFromInline package func damaged(_ uuid: UniqueID, _ map: EntityMap, _ error: MalformedBytes) -> StorageError {
    table.damaged(
      ObjectKey(entity: map.number, uuid: uuid).bytes, "the stored object \(map.entity.name)/\(uuid): \(error)")
  }

  /// Lends an object's record. `nil` if there is none.
  @inline(__always)
  func withRecord<Result>(
    of uuid: UniqueID, _ map: EntityMap, _ view: View, _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    try withRecord(of: uuid, map, view.readerOfOne(rows.table), body)
  }

  /// Lends the tombstone of a deleted object. `nil` if there is none.
  func withTombstone<Result>(
    of uuid: UniqueID, _ map: EntityMap, _ view: View, _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    let key = CollectionOfOne(ObjectKey(tombstoneOf: map.number, uuid: uuid))
    return try rows.read(view, key: key.span.bytes, "the mark of the deleted object \(map.entity.name)/\(uuid)") {
      (bytes) throws(MalformedBytes) in
      try body(RecordReader(bytes))
    }
  }

  /// A reader for many objects.
  @_lifetime(copy view)
  package func reader(_ view: View) -> TableReader { view.reader(rows.table) }

  /// Lends an object's record, one of many. `nil` if there is none.
  @inline(__always)
  func withRecord<Result>(
    of uuid: UniqueID, _ map: EntityMap, _ reader: TableReader, _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    try withStored(of: uuid, map, reader) { (stored) throws(StorageError) in
      try parse(stored, ObjectKey(entity: map.number, uuid: uuid), map.entity.name, reader.view, body)
    }
  }

  /// Lends the stored form of an object's record, one of many. `nil` if there is none.
  @inline(__always)
  func withStored<Result>(
    of uuid: UniqueID, _ map: EntityMap, _ reader: TableReader,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    let key = CollectionOfOne(ObjectKey(entity: map.number, uuid: uuid))
    return try rows.read(reader, key: key.span.bytes, body)
  }

  /// Visits the stored form of an object's record, for one of many objects. Returns the result of `body`. `nil` if
  /// there is no record.
  package func visitStored(
    of uuid: UniqueID, _ map: EntityMap, _ reader: TableReader,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool? {
    try withStored(of: uuid, map, reader, body)
  }

  /// Lends a record in its stored form to a parser. If the record is split, its long values are read first.
  @inline(__always)
  package func parse<Result>(
    _ stored: UnsafeRawBufferPointer, _ key: ObjectKey, _ name: @autoclosure () -> String, _ view: View,
    _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    if RecordReader.isSplit(stored) { return try parse(joined(stored, key, view), key, name(), body) }
    return try table.parsing(key.bytes, "the stored object \(name())/\(key.uuid)") { () throws(MalformedBytes) in
      try body(RecordReader(stored))
    }
  }

  private func parse<Result>(
    _ whole: [UInt8], _ key: ObjectKey, _ name: String, _ body: (RecordReader) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    try table.parsing(key.bytes, "the stored object \(name)/\(key.uuid)") { () throws(MalformedBytes) in
      try whole.lend { (bytes) throws(MalformedBytes) in try body(RecordReader(bytes)) }
    }
  }

  /// Calls `body` with every record of an entity, in UUID order.
  ///
  /// - Parameter name: The entity's name, for errors.
  package func forEachRecord(
    _ entity: UInt32, _ name: String, _ view: View, _ body: (UniqueID, RecordReader) throws(MalformedBytes) -> Void
  ) throws(StorageError) {
    try scanRecords(entity, name, view) { (uuid, record) throws(MalformedBytes) in
      try body(uuid, record)
      return true
    }
  }

  /// Calls `body` with the records of an entity from a UUID on, in UUID order, until it returns false.
  package func scanRecords(
    _ entity: UInt32, _ name: String, from first: UniqueID = .zero, _ view: View,
    _ body: (UniqueID, RecordReader) throws(MalformedBytes) -> Bool
  ) throws(StorageError) {
    try scanStored(entity, from: first, view) { (key, stored) throws(StorageError) in
      try parse(stored, key, name, view) { (record) throws(MalformedBytes) in try body(key.uuid, record) }
    }
  }

  /// Calls `body` with the records of an entity from a UUID on, in their stored form, until it returns false.
  package func scanStored(
    _ entity: UInt32, from first: UniqueID = .zero, _ view: View,
    _ body: (ObjectKey, UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let start = CollectionOfOne(ObjectKey(entity: entity, uuid: first))
    try rows.scan(view, from: start.span.bytes) { (row, bytes) throws(StorageError) in
      guard let key = ObjectKey(row), !key.isTombstone, key.entity == entity else { return false }
      return try body(key, bytes)
    }
  }
}
