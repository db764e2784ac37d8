/// The key that all objects share that a unique index treats as the same.
package struct UniqueKey: Hashable, Sendable {
  /// The bytes of the index's rows before the UUID. If ``isShortened``, rows of other values may begin in the same way.
  package let row: [UInt8]
  /// The columns as a whole, if the row has less of them.
  private let whole: [UInt8]?

  /// Whether objects with the same row may differ.
  package var isShortened: Bool { whole != nil }

  /// The row keys that begin with it.
  package var range: KeyRange { KeyRange(beginningWith: whole ?? row) }

  /// At once: an array is hashed byte by byte.
  package func hash(into hasher: inout Hasher) { row.withUnsafeBytes { hasher.combine(bytes: $0) } }

  /// `nil` if a column is, unless nil equals nil: such objects are never the same.
  package init?(_ columns: [PropertyValue], _ collations: [Collation], nilsAreEqual: Bool = false) {
    if !nilsAreEqual, columns.contains(where: \.isNull) { return nil }
    let key = RowKey.columns(columns, collations)
    let isShortened = key.count >= RowKey.storedLimit
    row = isShortened ? Array(key.prefix(RowKey.storedLimit)) : key
    whole = isShortened ? key : nil
  }
}
