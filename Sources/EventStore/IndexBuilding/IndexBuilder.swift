import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Fills new indexes with the existing objects, empties unused ones, and sorts indexes again whose order has changed.
struct IndexBuilder {
  let tables: StoreTables
  var sliceBytes = IndexRows.sliceBytes

  func remove(_ indexes: [UInt32], _ transaction: borrowing WriteTransaction) throws(StorageError) {
    for number in indexes { while !(try removeSome(of: number, transaction)) {} }
  }

  /// Removes the first rows of an index. True if there are none any more.
  func removeSome(
    of number: UInt32, limit: Int = 10_000, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    let prefix = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    // The rows are collected first, because a deletion may move the rows that the cursor reads.
    let keys = try firstKeys(beginningWith: prefix, limit: limit, transaction.view)
    try transaction.delete(tables.indexes, shown: keys)
    return keys.isEmpty
  }

  /// Sorts indexes again, because this program has another version of a locale's order.
  func renew(
    _ properties: [(entity: StoredEntity, property: StoredProperty)], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try remove(properties.compactMap(\.property.index), transaction)
    try build(properties, transaction)
  }

  private func firstKeys(
    beginningWith prefix: [UInt8], limit: Int, _ view: View
  ) throws(StorageError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var cursor = try view.cursor(tables.indexes)
    var entry = try cursor.seek(prefix.span.bytes)
    while let found = entry, keys.count < limit {
      let key = [UInt8](copying: found.key)
      guard key.starts(with: prefix) else { break }
      keys.append(key)
      entry = try cursor.next()
    }
    return keys
  }

  func build(
    _ properties: [(entity: StoredEntity, property: StoredProperty)], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for (entity, property) in properties {
      // A to-one is new, or has its index already. For a new property, no object has a value.
      if case .toOne = property.role { continue }
      guard var rows = IndexRows(property, of: entity) else { continue }
      var next: UniqueID? = .zero
      while let first = next {
        next = try rows.add(
          objectsOf: entity, from: first, upTo: sliceBytes, ObjectTable(tables), transaction.view)
        try rows.write(tables.indexes, transaction)
      }
    }
  }
}
