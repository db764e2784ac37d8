/// Looks up many keys of one table: what leads to the table is found once.
@frozen package struct TableReader: ~Escapable {
  package let view: View
  @usableFromInline let table: Table
  /// `nil` where LMDB is to be asked.
  @usableFromInline let tree: MappedTree?

  @_lifetime(copy view)
  @usableFromInline init(_ view: View, _ table: Table) {
    self.view = view
    self.table = table
    tree = view.isSnapshot ? table.file?.tree(of: table.name, view.transaction) : nil
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
  /// A reader for many look-ups.
  @_lifetime(copy self)
  package func reader(_ table: Table) -> TableReader { TableReader(self, table) }
}
