import CRepriseLMDB

/// Adds entries to a table in sequence. A key next to the last one is located without a search from the root.
///
/// While one is open, nothing else may change the table.
@frozen @usableFromInline package struct WriteCursor: ~Copyable, ~Escapable {
  @usableFromInline let cursor: OpaquePointer
  @usableFromInline let table: Table
  /// As ``WriteTransaction/failure``.
  let failure: UnsafeMutablePointer<Int32>
  /// As ``WriteTransaction/recorder``.
  let recorder: UnsafeMutablePointer<ChangeRecorder>?

  @_lifetime(immortal)
  init(unsafe cursor: OpaquePointer, _ table: Table, _ transaction: borrowing WriteTransaction) {
    self.cursor = cursor
    self.table = table
    failure = transaction.failure
    recorder = transaction.recorder
  }

  @inlinable deinit {
    mdb_cursor_close(cursor)
  }

  /// Sets the value of `key`, as ``WriteTransaction/put(_:key:value:)``.
  @inlinable package mutating func put(key: RawSpan, value: RawSpan) throws(StorageError) {
    try put(key, value, 0, .put)
  }

  /// Adds an entry. Throws `keyExists` if there is one, and changes nothing.
  @inlinable package mutating func insert(key: RawSpan, value: RawSpan) throws(StorageError) {
    try put(key, value, UInt32(MDB_NOOVERWRITE), .insert)
  }

  /// Adds an entry at the end, as ``WriteTransaction/append(_:key:value:)``.
  @inlinable package mutating func append(key: RawSpan, value: RawSpan) throws(StorageError) {
    try put(key, value, UInt32(MDB_APPEND), .append)
  }

  @usableFromInline mutating func put(
    _ key: RawSpan, _ value: RawSpan, _ flags: UInt32, _ operation: StorageError.Operation
  ) throws(StorageError) {
    let code = key.withUnsafeBytes { keyBytes in
      value.withUnsafeBytes { valueBytes in
        var key = MDB_val(mv_size: keyBytes.count, mv_data: UnsafeMutableRawPointer(mutating: keyBytes.baseAddress))
        var value = MDB_val(
          mv_size: valueBytes.count, mv_data: UnsafeMutableRawPointer(mutating: valueBytes.baseAddress))
        let start = recorder?.pointee.add(.put, table.dbi, table.name, key: keyBytes, value: valueBytes)
        let code = mdb_cursor_put(cursor, &key, &value, flags)
        if code != MDB_SUCCESS, let start { recorder?.pointee.remove(from: start) }
        return code
      }
    }
    if code != MDB_SUCCESS { throw failed(code, operation) }
  }

  func failed(_ code: Int32, _ operation: StorageError.Operation) -> StorageError {
    if failure.pointee == 0 && code != MDB_KEYEXIST && code != MDB_BAD_VALSIZE { failure.pointee = code }
    return StorageError(code: code, operation, cursor: cursor)
  }
}

extension WriteTransaction {
  /// A cursor that adds entries.
  @_lifetime(borrow self)
  package func writeCursor(_ table: Table) throws(StorageError) -> WriteCursor {
    var cursor: OpaquePointer?
    let code = mdb_cursor_open(transaction, table.dbi, &cursor)
    guard code == MDB_SUCCESS, let cursor else { throw failed(code, .openCursor) }
    return _overrideLifetime(WriteCursor(unsafe: cursor, table, self), borrowing: self)
  }
}
