import CRepriseLMDB
import RepriseSystem

extension Environment {
  /// A snapshot of the last commit. Costs well under a microsecond, whatever the size of the file.
  ///
  /// Bind it with `let` before using its view: `try beginRead().view.get(…)` in one expression crashes the compiler
  /// of Swift 6.3.
  package func beginRead() throws(StorageError) -> ReadTransaction {
    var hasCheckedReaders = false
    var resizes = Backoff(milliseconds: options.resizeTimeout)
    while true {
      let pooled = try enter(.beginRead, takesPooled: true)
      var transaction = pooled?.pointer
      var code =
        if let transaction {
          mdb_txn_renew(transaction)
        } else {
          mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction)
        }
      while code == MDB_SUCCESS, let snapshot = transaction, mayBeOfALaterCommit(snapshot) {
        mdb_txn_reset(snapshot)
        code = mdb_txn_renew(snapshot)
      }
      if code == MDB_SUCCESS, let transaction { return ReadTransaction(transaction, self) }
      if let transaction { mdb_txn_abort(transaction) }
      if code == MDB_READERS_FULL && !hasCheckedReaders {
        hasCheckedReaders = true
        var dead: Int32 = 0
        mdb_reader_check(handle.pointer, &dead)
        counters.count(.readerCheck)
        leave()
        continue
      }
      leave()
      switch code {
      case MDB_MAP_RESIZED:
        // Another thread may have adopted the new size while this one waited, so a blocked attempt is repeated.
        if !resizes.wait() { throw .mapResized(site(.beginRead)) }
        try resizeMap(to: 0, .beginRead)
      case MDB_PANIC:
        panicked()
        throw .panic(site(.beginRead))
      default: throw StorageError(code: code, .beginRead, path: directory)
      }
    }
  }

  /// LMDB reads the number of the last commit, then the tables from that commit's meta page. The second commit after it
  /// overwrites that page: a reader that was delayed for so long has later tables under the earlier number.
  private func mayBeOfALaterCommit(_ transaction: OpaquePointer) -> Bool {
    var info = MDB_envinfo()
    mdb_env_info(handle.pointer, &info)
    return info.me_last_txnid >= mdb_txn_id(transaction) + 2
  }

  @usableFromInline func endRead(_ transaction: OpaquePointer) {
    // The slot in the reader table is the parent's.
    if ForkGuard.generation.load(ordering: .relaxed) != forkGeneration { return }
    // The slot is released inside the lock: once this transaction is counted out, the file may be closed.
    let handle = Handle(pointer: transaction)
    let finishes: Bool = gate.withLock { gate in
      if gate.state == .open && gate.pooled.count < Gate.poolLimit {
        mdb_txn_reset(handle.pointer)
        gate.pooled.append(handle)
      } else {
        mdb_txn_abort(handle.pointer)
      }
      gate.live -= 1
      return gate.state == .closed && gate.live == 0
    }
    if finishes { shutDown() }
  }

  /// Runs `body` on a snapshot. The closure must name its error: `{ transaction throws(StorageError) in … }`.
  @inlinable package func read<R: ~Copyable, E: StorageErrorConvertible>(
    _ body: (borrowing ReadTransaction) throws(E) -> R
  ) throws(E) -> R {
    let transaction = try E.converting(beginRead)
    return try body(transaction)
  }

  /// Runs `body` on a snapshot; rethrows its error as it is, or throws a `StorageError`.
  @_disfavoredOverload
  package func read<R: ~Copyable>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    let transaction = try beginRead()
    return try body(transaction)
  }
}
