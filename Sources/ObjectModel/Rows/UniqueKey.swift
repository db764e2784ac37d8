/// The key of an object in a unique index. Objects with equal keys are the same for the index.
package struct UniqueKey: Hashable, Sendable {
  /// The bytes of the index's rows before the UUID. If ``isShortened``, rows of other values may begin in the same way.
  package let row: [UInt8]
  /// The whole columns, if the row has only a part of them.
  private let whole: [UInt8]?

  /// Whether objects with the same row may differ.
  package var isShortened: Bool { whole != nil }

  /// The row keys that begin with this key.
  package var range: KeyRange { KeyRange(beginningWith: whole ?? row) }

  /// Hashes all bytes at once, because an array is hashed byte by byte.
  package func hash(into hasher: inout Hasher) { row.withUnsafeBytes { hasher.combine(bytes: $0) } }

  /// `nil` if a column is nil, unless nil equals nil. Such an object is never the same as another.
  package init?(_ columns: [PropertyValue], _ collations: [Collation], nilsAreEqual: Bool = false) {
    if !nilsAreEqual, columns.contains(where: \.isNull) { return nil }
    let key = RowKey.columns(columns, collations)
    let isShortened = key.count >= RowKey.storedLimit
    row = isShortened ? Array(key.prefix(RowKey.storedLimit)) : key
    whole = isShortened ? key : nil
  }
}
