import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A whole row of the tables `drafts` and `archives`; ``ChunkedRows`` stores it in chunks.
package struct JournalRow: Sendable {
  package var key: [UInt8]
  package var value: [UInt8]

  package init(key: [UInt8], value: [UInt8]) {
    self.key = key
    self.value = value
  }

  /// Without a size limit, because each entry that a journal accepted must fit into the tables.
  private static func chunked(_ table: Table) -> ChunkedRows { ChunkedRows(table, numbersFirst: true, limit: .max) }

  /// The rows with a key prefix, or the first `limit` of them, by ascending key.
  static func read(
    _ view: View, _ table: Table, prefix: [UInt8], atMost limit: Int = .max
  ) throws(StorageError) -> [JournalRow] {
    var rows: [JournalRow] = []
    try scan(view, table, prefix: prefix) { key, value in
      rows.append(JournalRow(key: [UInt8](key), value: [UInt8](value)))
      return rows.count < limit
    }
    return rows
  }

  /// The value of a key. `nil` if there is none. O(log n).
  static func value(_ key: [UInt8], _ view: View, _ table: Table) throws(StorageError) -> [UInt8]? {
    try chunked(table).bytes(view, key: key.span.bytes)
  }

  /// Lends the rows with a key prefix, by ascending key, until `body` returns false.
  package static func scan(
    _ view: View, _ table: Table, prefix: [UInt8],
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
  ) throws(StorageError) {
    try chunked(table).scan(view, from: prefix.span.bytes) { (key, value) throws(StorageError) in
      key.starts(with: prefix) && body(key, value)
    }
  }

  /// The first 16 bytes of a name's SHA-256, since names may be longer than a key.
  package static func hash(_ name: String) -> [UInt8] {
    var name = name
    return name.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }

  static func hash(_ name: UnsafeRawBufferPointer) -> [UInt8] {
    let digest = SHA256.digest(name)
    var writer = ByteWriter(reserving: 32)
    writer.digest(digest)
    return [UInt8](writer.bytes.prefix(16))
  }

  /// Gives a key another value, `nil` for none, and writes nothing if it has that.
  package static func replace(
    _ key: [UInt8], with value: [UInt8]?, _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    let rows = chunked(table)
    let old = try self.value(key, transaction.view, table)
    if let value, value != old {
      try rows.put(transaction, key: key.span.bytes, value: value, replacing: old?.count ?? 0)
    } else if let old, value == nil {
      try rows.delete(transaction, key: key.span.bytes, size: old.count)
    }
  }

  /// Replaces the rows `before` by `after`, and writes only the rows that differ.
  package static func replace(
    _ before: [JournalRow], with after: [JournalRow], _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    let rows = chunked(table)
    var old: [[UInt8]: [UInt8]] = [:]
    for row in before { old[row.key] = row.value }
    for row in after {
      let value = old.removeValue(forKey: row.key)
      if value == row.value { continue }
      try rows.put(transaction, key: row.key.span.bytes, value: row.value, replacing: value?.count ?? 0)
    }
    for row in before where old[row.key] != nil {
      try rows.delete(transaction, key: row.key.span.bytes, size: row.value.count)
    }
  }
}
