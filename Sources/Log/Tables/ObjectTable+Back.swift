import RepriseLMDB
import RepriseObjectModel

extension ObjectTable {
  /// Calls `body` with the records of an entity from a UUID down, in their stored form, until it returns false.
  package func scanStoredBack(
    _ entity: UInt32, from last: UniqueID, _ view: View,
    _ body: (ObjectKey, UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) {
    // After all rows of the object with this UUID.
    let end = CollectionOfOne(
      last.next.map { ObjectKey(entity: entity, uuid: $0) } ?? ObjectKey(entity: entity + 1, uuid: .zero))
    let reader = reader(view)
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(end.span.bytes) == nil ? cursor.last() : cursor.previous()
    while let found = entry {
      guard found.key.byteCount >= ObjectKey.size,
        let key = found.key.withUnsafeBytes({ ObjectKey(UnsafeRawBufferPointer(rebasing: $0[..<ObjectKey.size])) }),
        key.isOf(entity)
      else { return }
      // The key of a later chunk is its object's key and a number.
      if found.key.byteCount == ObjectKey.size {
        let goesOn: Bool?
        if found.value.byteCount < ChunkedRows.chunkSize {
          goesOn = try found.value.withUnsafeBytes { (bytes) throws(StorageError) in try body(key, bytes) }
        } else {
          let row = CollectionOfOne(key)
          goesOn = try rows.read(reader, key: row.span.bytes) { (bytes) throws(StorageError) in try body(key, bytes) }
        }
        if goesOn == false { return }
      }
      entry = try cursor.previous()
    }
  }
}
