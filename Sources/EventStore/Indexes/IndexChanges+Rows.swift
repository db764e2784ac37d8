import RepriseLMDB

extension IndexChanges {
  /// Inserts all rows, which are sorted and none of which may be there.
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

  /// Why a change does not fit the rows.
  func refused(_ place: Int, by table: Table) -> StorageError {
    let key = Array(keys[changes[place].range])
    return changes[place].isInsert ? table.rowExists(key) : table.rowMissing(key)
  }
}
