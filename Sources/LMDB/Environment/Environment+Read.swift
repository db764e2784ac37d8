import CRepriseLMDB
import RepriseSystem

extension Environment {
  /// A snapshot of the last commit. Costs well under a microsecond, for a file of any size.
  ///
  /// Bind it with `let` before using its view: `try beginRead().view.get(…)` in one expression crashes the compiler
  /// of Swift 6.3.
  @usableFromInline package func beginRead() throws(StorageError) -> ReadTransaction {
    var hasCheckedReaders = false
    var resizes = Backoff(milliseconds: options.resizeTimeout)
    while true {
      let (pooled, seen) = try enter(.beginRead, takesPooled: true)
      var transaction = pooled?.pointer
      var code =
        if let transaction {
          mdb_txn_renew(transaction)
        } else {
          mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction)
        }
      var isReplaced = false
      while code == MDB_SUCCESS, let snapshot = transaction, !isOfItsCommit(snapshot, seen) {
        let id = mdb_txn_id(snapshot)
        mdb_txn_reset(snapshot)
        code = mdb_txn_renew(snapshot)
        // A later commit of this file has a later number.
        isReplaced = code == MDB_SUCCESS && mdb_txn_id(snapshot) == id && !isOfItsCommit(snapshot, seen)
        if isReplaced { break }
      }
      if code == MDB_SUCCESS, !isReplaced, let transaction { return ReadTransaction(transaction, self) }
      if let transaction { mdb_txn_abort(transaction) }
      if isReplaced {
        leave()
        throw .fileReplaced(site(.beginRead))
      }
      if code == MDB_READERS_FULL && !hasCheckedReaders {
        hasCheckedReaders = true
        checkReaders()
        leave()
        continue
      }
      leave()
      try prepareRepetition(after: code, &resizes, .beginRead)
    }
  }

  /// Whether a snapshot has the tables of the commit whose number it has.
  ///
  /// LMDB reads the number of the last commit from the lock file, then the tables from that commit's meta page. The
  /// second commit after it overwrites that page: a reader that was delayed for so long has later tables under the
  /// earlier number. A data file whose content was replaced has neither.
  private func isOfItsCommit(_ transaction: OpaquePointer, _ seen: CommitMark) -> Bool {
    let id = mdb_txn_id(transaction)
    if let hasContent = hasContent(of: id, seen, transaction) { return hasContent }
    var info = MDB_envinfo()
    mdb_env_info(handle.pointer, &info)
    return info.me_last_txnid < id + 2
  }

  /// Whether the file has a commit, with the content that this process saw of it before, if it did. `nil` if nobody can
  /// tell.
  ///
  /// Costs a few loads, and for a commit that was not seen before a look-up and a lock.
  ///
  /// - Parameters:
  ///   - seen: The result of ``enter(_:takesPooled:)``.
  ///   - transaction: A snapshot, or a write transaction that has not written.
  func hasContent(of commit: Int, _ seen: CommitMark, _ transaction: OpaquePointer) -> Bool? {
    guard let mappedFile, let table = options.tables.first, let start = mappedFile.start(transaction, table) else {
      return nil
    }
    guard mappedFile.transaction(ofMetaPageOf: commit, start) == commit else { return false }
    if seen.commit == commit { return mappedFile.mark(of: commit, row: seen.row, start) == seen }
    let row = options.tellingRow.isNone ? 0 : mappedFile.place(of: options.tellingRow, transaction, start)
    let found = mappedFile.mark(of: commit, row: row, start)
    return gate.withLock { gate in
      if gate.seen.commit == commit { return gate.seen == found }
      if gate.seen.commit < commit { gate.seen = found }
      return true
    }
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
    let transaction = try E.converting { () throws(StorageError) in try beginRead() }
    return try body(transaction)
  }
}
