import RepriseLMDB

/// Rows in the byte order of their keys that can be counted and numbered: a counted index, or one with changes over it.
/// All answers are for the view they are given.
package protocol RankedRows: Sendable {
  func count(in view: View) throws(StorageError) -> Int

  /// How many rows sort before any bytes, and whether they are a row themselves.
  func place(of rowKey: RawSpan, in view: View) throws(StorageError) -> RowPlace

  /// The row that has `rank` rows before it, or nil.
  func rowKey(at rank: Int, in view: View) throws(StorageError) -> [UInt8]?

  /// Visits rows from the one of this rank until `body` says false, `limit` were visited or there are no more.
  func forEach(
    from rank: Int, limit: Int, _ direction: RowDirection, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError)
}

extension CountedIndex: RankedRows {}

package struct RowPlace: Sendable, Hashable {
  package var rank: Int
  package var isThere: Bool

  package init(rank: Int, isThere: Bool) {
    self.rank = rank
    self.isThere = isThere
  }
}

package enum RowDirection: Sendable, Hashable {
  case ascending, descending
}

extension RankedRows {
  /// How many rows sort before any bytes, and whether they are a row themselves.
  package func place(of rowKey: [UInt8], in view: View) throws(StorageError) -> RowPlace {
    try place(of: rowKey.span.bytes, in: view)
  }

  /// How many rows sort before `rowKey`.
  package func rank(of rowKey: RawSpan, in view: View) throws(StorageError) -> Int {
    try place(of: rowKey, in: view).rank
  }

  package func rank(of rowKey: [UInt8], in view: View) throws(StorageError) -> Int {
    try place(of: rowKey.span.bytes, in: view).rank
  }

  package func contains(_ rowKey: [UInt8], in view: View) throws(StorageError) -> Bool {
    try place(of: rowKey.span.bytes, in: view).isThere
  }

  /// The ranks of all rows that begin with `prefix`; empty, and where they would be, if none does.
  package func ranks(withPrefix prefix: [UInt8], in view: View) throws(StorageError) -> Range<Int> {
    let lower = try rank(of: prefix, in: view)
    let upper = if let end = prefix.prefixSuccessor { try rank(of: end, in: view) } else { try count(in: view) }
    return lower..<max(lower, upper)
  }
}
