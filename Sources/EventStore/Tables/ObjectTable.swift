import RepriseLMDB
import RepriseObjectModel

/// The table `objects`: the head record of each object.
struct ObjectTable {
  let rows: ChunkedRows
  let path: String

  init(_ table: Table, path: String) {
    rows = ChunkedRows(table, numbersFirst: false)
    self.path = path
  }

  /// A copy of an object's record; `nil` if there is none.
  func bytes(
    of uuid: UniqueID, _ map: EntityMap, isTombstone: Bool = false, _ view: View
  ) throws(StoreError) -> [UInt8]? {
    let key = CollectionOfOne(
      isTombstone ? ObjectKey(tombstoneOf: map.number, uuid: uuid) : ObjectKey(entity: map.number, uuid: uuid))
    return try rows.read(view, key: key.span.bytes) { (bytes) throws(StoreError) in [UInt8](bytes) }
  }

  /// The values of an object; `nil` if it does not exist. Decoded from the mapped bytes.
  func values(
    of uuid: UniqueID, _ map: EntityMap, _ schema: SchemaMap, _ view: View
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    let key = CollectionOfOne(ObjectKey(entity: map.number, uuid: uuid))
    do throws(ReadFailure) {
      return try rows.read(view, key: key.span.bytes) { (bytes) throws(ReadFailure) in
        try ReadFailure.wrapping { () throws(MalformedBytes) in try RecordReader(bytes).values(map, schema) }
      }
    } catch {
      throw error.storeError(path, "the record of \(map.entity.name)/\(uuid)")
    }
  }

  /// The last UUID under an entity's number, or a tombstone's; zero where there is none.
  func last(of number: UInt32, _ view: View) throws(StoreError) -> UniqueID {
    let (next, isLast) = number.addingReportingOverflow(1)
    let end = CollectionOfOne(next.bigEndian)
    do throws(StorageError) {
      var cursor = try view.cursor(rows.table)
      // A chunk behind the first has its object's key before its number.
      let hasMore = try isLast ? false : cursor.seek(end.span.bytes) != nil
      let entry = try hasMore ? cursor.previous() : cursor.last()
      guard let entry, entry.key.byteCount >= ObjectKey.size else { return .zero }
      let key = entry.key.withUnsafeBytes { ObjectKey(UnsafeRawBufferPointer(rebasing: $0[..<ObjectKey.size])) }
      guard let key, key.isOf(number) else { return .zero }
      return key.uuid
    } catch {
      throw StoreError(error)
    }
  }

  /// Decodes a record.
  func decode(
    _ record: [UInt8], _ id: AnyObjectID, _ map: EntityMap, _ schema: SchemaMap
  ) throws(StoreError) -> ContiguousArray<PropertyValue> {
    do throws(MalformedBytes) {
      return try record.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).values(map, schema) }
    } catch {
      throw .damaged(path: path, reason: "the record of \(id): \(error)")
    }
  }

  /// Calls `body` with every object of an entity, by UUID.
  func forEach(
    _ map: EntityMap, _ schema: SchemaMap, _ view: View,
    _ body: (UniqueID, ContiguousArray<PropertyValue>) -> Void
  ) throws(StoreError) {
    var last: UniqueID = .zero
    do throws(ReadFailure) {
      try forEachRecord(map.number, view) { (key, bytes) throws(ReadFailure) in
        last = key.uuid
        let values = try ReadFailure.wrapping { () throws(MalformedBytes) in
          try RecordReader(bytes).values(map, schema)
        }
        body(key.uuid, values)
      }
    } catch {
      throw error.storeError(path, "the record of \(map.entity.name)/\(last)")
    }
  }

  /// Calls `body` with every record of an entity, by UUID.
  func forEachRecord(
    _ entity: UInt32, _ view: View, _ body: (ObjectKey, UnsafeRawBufferPointer) throws(ReadFailure) -> Void
  ) throws(ReadFailure) {
    let start = CollectionOfOne(ObjectKey(entity: entity, uuid: .zero))
    try rows.scan(view, from: start.span.bytes) { (key, bytes) throws(ReadFailure) in
      guard let key = ObjectKey(key), !key.isTombstone, key.entity == entity else { return false }
      try body(key, bytes)
      return true
    }
  }
}

/// Why something in the environment could not be read.
enum ReadFailure: StorageErrorConvertible {
  case lmdb(StorageError)
  case malformed(MalformedBytes)

  init(_ error: StorageError) { self = .lmdb(error) }

  static func wrapping<Result>(_ body: () throws(MalformedBytes) -> Result) throws(ReadFailure) -> Result {
    do throws(MalformedBytes) { return try body() } catch { throw .malformed(error) }
  }

  func storeError(_ path: String, _ what: @autoclosure () -> String) -> StoreError {
    switch self {
    case .lmdb(let error): StoreError(error)
    case .malformed(let error): .damaged(path: path, reason: "\(what()): \(error)")
    }
  }
}
