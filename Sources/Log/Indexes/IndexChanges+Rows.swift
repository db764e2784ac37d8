import RepriseLMDB

extension IndexChanges {
  /// Inserts all rows, which must be sorted. None of them may exist.
  func insert(into table: Table, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let keys = self.keys.span.bytes
    var cursor = try transaction.writeCursor(table)
    for place in changes.indices {
      do throws(StorageError) {
        try cursor.insert(key: keys.extracting(changes[place].range), value: RawSpan())
      } catch .keyExists {
        throw refused(place, by: table)
      }
    }
  }

  /// The error for inserting a row that exists, or deleting one that does not.
  func refused(_ place: Int, by table: Table) -> StorageError {
    let key = Array(keys[changes[place].range])
    return changes[place].isInsert ? table.rowExists(key) : table.rowMissing(key)
  }
}
