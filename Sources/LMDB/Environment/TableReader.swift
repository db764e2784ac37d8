/// Looks up keys of one table.
@frozen @usableFromInline package struct TableReader: ~Escapable {
  @usableFromInline package let view: View
  @usableFromInline let table: Table
  /// `nil` if reads must go through LMDB.
  @usableFromInline let tree: MappedTree?

  @_lifetime(copy view)
  @inlinable init(_ view: View, _ table: Table, _ tree: MappedTree?) {
    self.view = view
    self.table = table
    self.tree = tree
  }

  /// The value of `key`, or nil. O(log n).
  @_lifetime(copy self)
  @inlinable package func get(_ key: RawSpan) throws(StorageError) -> RawSpan? {
    guard let tree else { return try view.get(table, key: key) }
    let found = try key.withUnsafeBytes { (key) throws(StorageError) in try tree.value(of: key) }
    guard let found else { return nil }
    return _overrideLifetime(RawSpan(_unsafeBytes: found), copying: self)
  }
}

extension View {
  /// A reader for many look-ups. It finds the table's root once, and then each look-up costs half.
  @_lifetime(copy self)
  package func reader(_ table: Table) -> TableReader {
    TableReader(self, table, isSnapshot ? table.file?.tree(of: table.name, transaction) : nil)
  }

  /// A reader for one look-up.
  @_lifetime(copy self)
  @inlinable package func readerOfOne(_ table: Table) -> TableReader { TableReader(self, table, nil) }
}
