import RepriseLMDB
import RepriseObjectModel

/// Short records of new objects that are written together. One buffer has them all, and one cursor writes them, which
/// costs less than a buffer and a search for each.
package struct NewRecords {
  private struct Row {
    let key: ObjectKey
    let end: Int
  }

  private var writer = ByteWriter()
  private var rows: [Row] = []

  package init() {}

  /// Whether there are enough records to write them. With the next record, the buffer has at most 64 KiB: for larger
  /// buffers, `malloc` maps new pages in each save.
  package var isFull: Bool { writer.count >= (1 << 16) - ChunkedRows.chunkSize }

  /// Whether the record with these fields is short.
  package static func takes(_ fields: [UInt8]) -> Bool { fields.count + 32 < ChunkedRows.chunkSize }

  /// Adds the record of an object that has no tombstone.
  package mutating func add(_ fields: [UInt8], _ key: ObjectKey, at position: Position) {
    fields.lend { writer.newRecord(RecordFields($0), at: position) }
    rows.append(Row(key: key, end: writer.count))
  }

  /// Writes the records. Fast if their keys ascend.
  package func write(
    into objects: ObjectTable, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    if rows.isEmpty { return }
    let bytes = writer.bytes.span.bytes
    var cursor = try transaction.writeCursor(objects.table)
    var start = 0
    for row in rows {
      let key = CollectionOfOne(row.key)
      try cursor.put(key: key.span.bytes, value: bytes.extracting(start..<row.end))
      start = row.end
    }
  }

  package mutating func removeAll() {
    writer.bytes.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
  }
}
