import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension IndexReader {
  /// The number of rows that a walk along an index passes until it has `count` rows, and all rows that begin with the
  /// same columns as the last of these. `nil` if there are so many ranges that counting is not worth its cost. O(log
  /// n).
  ///
  /// - Parameters:
  ///   - ranges: The ranges of the walk, in ascending order.
  ///   - columns: The number of columns, and the number of bytes before them in a row key; `nil` is all columns.
  package func rowCount(
    _ map: EntityMap, slot: Int, in ranges: [KeyRange], isAscending: Bool, through count: Int,
    columns: (skipped: Int, count: Int)?
  ) throws(StoreError) -> Int? {
    guard let index = wholeRows(map, slot: slot), ranges.count <= 8, count > 0 else { return nil }
    return try store.read { (view, _) throws(StorageError) in
      var passed = 0
      for range in isAscending ? ranges : ranges.reversed() {
        let ranks = try index.ranks(in: range, view)
        let (first, end) = (ranks.lowerBound, ranks.upperBound)
        guard passed + ranks.count >= count else {
          passed += ranks.count
          continue
        }
        let rank = isAscending ? first + count - passed - 1 : end - (count - passed)
        guard let key = try index.rowKey(at: rank, in: view) else { return nil }
        let group = KeyRange(beginningWith: Self.columns(columns, of: key))
        if isAscending {
          guard let behind = group.upper else { return passed + end - first }
          return passed + min(end, try index.rank(of: behind, in: view)) - first
        }
        return passed + end - max(first, try index.rank(of: group.lower, in: view))
      }
      return passed
    }
  }

  /// The beginning of a row key, up to the end of some columns.
  private static func columns(_ columns: (skipped: Int, count: Int)?, of key: [UInt8]) -> [UInt8] {
    guard let columns else { return Array(key.dropLast(16)) }
    var end = columns.skipped
    for _ in 0..<columns.count where end < key.count { end += OrderKey.length(Array(key[end...])) ?? 0 }
    return Array(key.prefix(end))
  }
}
