/// What the objects have in common that a unique index takes for the same.
package struct UniqueKey: Hashable, Sendable {
  /// What the keys of their rows begin with, before the UUID. Other objects' may begin so as well if ``isCut``.
  package let row: [UInt8]
  /// The order keys of the columns as a whole, if the row has less of them.
  private let whole: [UInt8]?

  /// Whether objects with the same row may differ.
  package var isCut: Bool { whole != nil }

  /// The rows that begin with it.
  package var range: KeyRange { KeyRange(beginningWith: row) }

  /// At once: an array is hashed byte by byte.
  package func hash(into hasher: inout Hasher) { row.withUnsafeBytes { hasher.combine(bytes: $0) } }

  /// `nil` if a column is: such objects are never the same.
  package init?(_ columns: [PropertyValue], _ collations: [Collation]) {
    if columns.contains(where: \.isNull) { return nil }
    row = RowKey.columns(columns, collations)
    guard row.count >= RowKey.leastLengthOfCut(columns: columns.count) else {
      whole = nil
      return
    }
    var whole: [UInt8] = []
    for (value, collation) in zip(columns, collations) {
      OrderKey.append(value, collation, limit: .max / 2, to: &whole)
    }
    self.whole = whole == row ? nil : whole
  }
}
