import RepriseLMDB

extension IndexChanges {
  /// Inserts all rows, which are sorted and none of which may be there.
  func insert(into table: Table, _ transaction: borrowing WriteTransaction) throws(IndexError) {
    let keys = self.keys.span.bytes
    var cursor: WriteCursor
    do throws(StorageError) { cursor = try transaction.writeCursor(table) } catch { throw .storage(error) }
    for place in changes.indices {
      do throws(StorageError) {
        try cursor.insert(key: keys.extracting(changes[place].range), value: RawSpan())
      } catch {
        if case .keyExists = error { throw refused(place) }
        throw .storage(error)
      }
    }
  }

  /// Why a change does not fit the rows.
  func refused(_ place: Int) -> IndexError {
    changes[place].isInsert
      ? .rowExists(index: index, rowKey: rowKey(place)) : .rowMissing(index: index, rowKey: rowKey(place))
  }
}
