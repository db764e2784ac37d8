import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery

extension CountedRows {
  /// Finds each section by a seek to the end of the previous one. O(sections × log n).
  func sections(_ fetch: CompiledFetch) throws(IndexSnapshot.Failure) -> ListSnapshot {
    guard let function = fetch.section else { return ListSnapshot(rowCount: ranks.count) }
    var sections: [ListSnapshot.Section] = []
    let collation = fetch.sectionCollation
    var left = ranks
    while !left.isEmpty {
      guard let key = try index.rowKey(at: choice.isAscending ? left.lowerBound : left.upperBound - 1) else { break }
      // Columns with a single value may precede the value.
      let (front, row) = (key.prefix(choice.sectionStart), Array(key.dropFirst(choice.sectionStart)))
      let count: Int
      if choice.isAscending {
        let end = min(left.upperBound, try index.rank(of: front + function.upperBound(ofRowKey: row, collation)))
        count = max(1, end - left.lowerBound)
        left = (left.lowerBound + count)..<left.upperBound
      } else {
        let end = max(left.lowerBound, try index.rank(of: front + function.lowerBound(ofRowKey: row, collation)))
        count = max(1, left.upperBound - end)
        left = left.lowerBound..<(left.upperBound - count)
      }
      sections.append(ListSnapshot.Section(name: function.name(ofRowKey: row, collation), rowCount: count))
    }
    return ListSnapshot(sections)
  }
}
