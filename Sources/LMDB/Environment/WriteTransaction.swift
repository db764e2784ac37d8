import CRepriseLMDB

/// The one writer. It exists only inside `Environment.write`, on one thread: LMDB's writer lock belongs to a thread.
@frozen @usableFromInline package struct WriteTransaction: ~Copyable {
  @usableFromInline let transaction: OpaquePointer
  /// The first failure of a change. A body may swallow the error, but the transaction cannot commit.
  let failure: UnsafeMutablePointer<Int32>
  /// Collects the changes for the after-image. `nil` if the commit writes none.
  let recorder: UnsafeMutablePointer<ChangeRecorder>?

  init(
    _ transaction: OpaquePointer, failure: UnsafeMutablePointer<Int32>,
    recorder: UnsafeMutablePointer<ChangeRecorder>? = nil
  ) {
    self.transaction = transaction
    self.failure = failure
    self.recorder = recorder
  }

  /// The number that this commit will have. An aborted transaction's number is reused.
  @inlinable package var id: Int { mdb_txn_id(transaction) }

  /// The state including this transaction's changes so far.
  @inlinable package var view: View {
    @_lifetime(borrow self) get { _overrideLifetime(View(unsafe: transaction, isSnapshot: false), borrowing: self) }
  }

  /// Sets the value of `key` (1 to 511 bytes). O(log n). Copies both.
  @inlinable package func put(_ table: Table, key: RawSpan, value: RawSpan) throws(StorageError) {
    try put(table, key: key, value: value, flags: 0, .put)
  }

  /// Adds an entry at the end, without a search. A key that is not greater than the last one throws `keyExists` and
  /// changes nothing.
  @inlinable package func append(_ table: Table, key: RawSpan, value: RawSpan) throws(StorageError) {
    try put(table, key: key, value: value, flags: UInt32(MDB_APPEND), .append)
  }

  /// Adds an entry. Throws `keyExists` if there is one, and changes nothing.
  @inlinable package func insert(_ table: Table, key: RawSpan, value: RawSpan) throws(StorageError) {
    try put(table, key: key, value: value, flags: UInt32(MDB_NOOVERWRITE), .insert)
  }

  /// Removes the entry of `key`. False if there was none. O(log n).
  @discardableResult
  package func delete(_ table: Table, key: RawSpan) throws(StorageError) -> Bool {
    let code = key.withUnsafeBytes { bytes in
      var wanted = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      let start = recorder?.pointee.add(.delete, table.dbi, table.name, key: bytes)
      let code = mdb_del(transaction, table.dbi, &wanted, nil)
      if code != MDB_SUCCESS, let start { recorder?.pointee.remove(from: start) }
      return code
    }
    if code == MDB_NOTFOUND { return false }
    if code != MDB_SUCCESS { throw failed(code, .delete) }
    return true
  }

  /// Removes the entries of keys that a cursor has returned. Throws if one cannot be found. Then keys are out of order,
  /// and a caller that removes a table slice by slice would get the same ones forever.
  package func delete(_ table: Table, shown keys: [[UInt8]]) throws(StorageError) {
    for key in keys where try !delete(table, key: key.span.bytes) { throw failed(MDB_CORRUPTED, .delete) }
  }

  /// Removes all entries. O(pages of the table), which become free.
  package func removeAll(_ table: Table) throws(StorageError) {
    let code = mdb_drop(transaction, table.dbi, 0)
    if code != MDB_SUCCESS { throw failed(code, .removeAll) }
    recorder?.pointee.add(.removeAll, table.dbi, table.name)
  }

  @usableFromInline func put(
    _ table: Table, key: RawSpan, value: RawSpan, flags: UInt32, _ operation: StorageError.Operation
  ) throws(StorageError) {
    let code = key.withUnsafeBytes { keyBytes in
      value.withUnsafeBytes { valueBytes in
        var key = MDB_val(mv_size: keyBytes.count, mv_data: UnsafeMutableRawPointer(mutating: keyBytes.baseAddress))
        var value = MDB_val(
          mv_size: valueBytes.count, mv_data: UnsafeMutableRawPointer(mutating: valueBytes.baseAddress))
        let start = recorder?.pointee.add(.put, table.dbi, table.name, key: keyBytes, value: valueBytes)
        let code = mdb_put(transaction, table.dbi, &key, &value, flags)
        if code != MDB_SUCCESS, let start { recorder?.pointee.remove(from: start) }
        return code
      }
    }
    if code != MDB_SUCCESS { throw failed(code, operation) }
  }

  func failed(_ code: Int32, _ operation: StorageError.Operation) -> StorageError {
    if failure.pointee == 0 && code != MDB_KEYEXIST && code != MDB_BAD_VALSIZE { failure.pointee = code }
    return StorageError(code: code, operation, transaction: transaction)
  }
}
