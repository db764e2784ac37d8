import RepriseLMDB
import RepriseObjectModel

extension CountedIndex {
  /// Visits rows from this rank on, in the given direction, until `body` returns false, `limit` rows have been visited
  /// or the index ends. Visits none if no row has this rank. One descent, then one step per row.
  package func forEach(
    from rank: Int, limit: Int = .max, _ direction: RowDirection = .ascending, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard limit > 0 else { return }
    try withCursor(view) { cursor throws(StorageError) in
      guard let start = try bucket(of: rank, &cursor) else { return }
      var left = limit
      switch direction {
      case .ascending:
        let first = try rowKey(start, &cursor)
        try scan(0, from: first.span.bytes, &cursor) { (row, _) throws(StorageError) in
          left -= 1
          return try body(row) && left > 0
        }
      case .descending:
        let first = try rowKey(start, &cursor)
        guard try body(first.span.bytes), left > 1 else { return }
        try scanBack(0, before: first.span.bytes, &cursor) { (row, _) throws(StorageError) in
          left -= 1
          return try body(row) && left > 1
        }
      }
    }
  }

  /// The objects of the rows that consist of these bytes and a UUID. One seek, then a step for each.
  package func objects(beginningWith bytes: RawSpan, in view: View) throws(StorageError) -> [UniqueID] {
    var found: [UniqueID] = []
    try withCursor(view) { cursor throws(StorageError) in
      try scan(0, from: bytes, &cursor) { row, _ in
        guard row.byteCount == bytes.byteCount + 16,
          compareBytes(row.extracting(first: bytes.byteCount), bytes) == 0, let uuid = RowKey.uuid(row)
        else { return false }
        found.append(uuid)
        return true
      }
    }
    return found
  }

  /// Visits rows from a key on: ascending from the first row not less than `rowKey`, or descending from the last row
  /// less than it. Ends when `body` returns false, after `limit` rows, or at the end of the index. One seek, then one
  /// step per row.
  package func forEach(
    at rowKey: RawSpan, limit: Int = .max, _ direction: RowDirection = .ascending, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard limit > 0 else { return }
    try withCursor(view) { cursor throws(StorageError) in
      var left = limit
      let visit = { (row: RawSpan, _: RawSpan) throws(StorageError) -> Bool in
        left -= 1
        return try body(row) && left > 0
      }
      switch direction {
      case .ascending: try scan(0, from: rowKey, &cursor, visit)
      case .descending: try scanBack(0, before: rowKey, &cursor, visit)
      }
    }
  }
}
