import CRepriseLMDB

/// Reads, in read and write transactions alike. Its spans point into the mapped file. Nothing is copied.
///
/// In a write transaction, do not use a span after a later `put` or `delete`, because LMDB may have moved or reused the
/// bytes. Copy bytes that you need after a change.
@frozen @usableFromInline package struct View: ~Escapable {
  @usableFromInline let transaction: OpaquePointer
  /// Whether its content cannot change, so that all of it is in the mapped file.
  @usableFromInline package let isSnapshot: Bool

  @_lifetime(immortal)
  @inlinable init(unsafe transaction: OpaquePointer, isSnapshot: Bool) {
    self.transaction = transaction
    self.isSnapshot = isSnapshot
  }

  /// The transaction whose state this is: the last committed one for a reader, the current one for a writer.
  @inlinable package var transactionID: Int { mdb_txn_id(transaction) }

  /// The value of `key`, or nil. O(log n).
  @_lifetime(copy self)
  @usableFromInline package func get(_ table: Table, key: RawSpan) throws(StorageError) -> RawSpan? {
    var value = MDB_val()
    let code = key.withUnsafeBytes { bytes in
      var wanted = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return mdb_get(transaction, table.dbi, &wanted, &value)
    }
    if code == MDB_NOTFOUND { return nil }
    if code != MDB_SUCCESS { throw StorageError(code: code, .get, transaction: transaction) }
    if isSnapshot, let file = table.file, !file.holds(value) {
      throw StorageError(code: MDB_CORRUPTED, .get, transaction: transaction)
    }
    return _overrideLifetime(RawSpan(value), copying: self)
  }

  /// A cursor, not yet on an entry.
  @_lifetime(copy self)
  package func cursor(_ table: Table) throws(StorageError) -> Cursor {
    if isSnapshot, let tree = table.file?.tree(of: table.name, transaction) {
      return _overrideLifetime(Cursor(MappedCursor(tree)), copying: self)
    }
    var cursor: OpaquePointer?
    let code = mdb_cursor_open(transaction, table.dbi, &cursor)
    guard code == MDB_SUCCESS, let cursor else { throw StorageError(code: code, .openCursor, transaction: transaction) }
    return _overrideLifetime(Cursor(unsafe: cursor), copying: self)
  }

  /// How many entries the table has. O(1).
  package func entryCount(_ table: Table) throws(StorageError) -> Int {
    var statistics = MDB_stat()
    let code = mdb_stat(transaction, table.dbi, &statistics)
    if code != MDB_SUCCESS { throw StorageError(code: code, .statistics, transaction: transaction) }
    return statistics.ms_entries
  }
}

extension RawSpan {
  @_lifetime(immortal)
  init(_ value: MDB_val) {
    guard let start = value.mv_data else {
      self = RawSpan()
      return
    }
    self = _overrideLifetime(
      RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: value.mv_size), copying: ())
  }
}
