import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Rows in the byte order of their keys, with count, rank and select: a counted index, or one with changes over it. All
/// results are for the given view.
package protocol RankedRows: Sendable {
  func count(in view: View) throws(StorageError) -> Int

  /// The number of rows that sort before `rowKey`, which may be any bytes, and whether it is a row itself.
  func place(of rowKey: RawSpan, in view: View) throws(StorageError) -> RowPlace

  /// The row of this rank, counted from 0, or nil.
  func rowKey(at rank: Int, in view: View) throws(StorageError) -> [UInt8]?

  /// Visits rows from this rank on until `body` returns false, `limit` have been visited or there are no more.
  func forEach(
    from rank: Int, limit: Int, _ direction: RowDirection, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError)
}

extension CountedIndex: RankedRows {}

extension RankedRows {
  /// The number of rows that sort before `rowKey`, which may be any bytes, and whether it is a row itself.
  package func place(of rowKey: [UInt8], in view: View) throws(StorageError) -> RowPlace {
    try place(of: rowKey.span.bytes, in: view)
  }

  /// The number of rows that sort before `rowKey`.
  package func rank(of rowKey: [UInt8], in view: View) throws(StorageError) -> Int {
    try place(of: rowKey.span.bytes, in: view).rank
  }

  /// The ranks of all rows in a range. If there are none, the empty range at their place.
  package func ranks(in range: KeyRange, _ view: View) throws(StorageError) -> Range<Int> {
    let lower = range.lower.isEmpty ? 0 : try rank(of: range.lower, in: view)
    let upper = if let bound = range.upper { try rank(of: bound, in: view) } else { try count(in: view) }
    return lower..<max(lower, upper)
  }
}
