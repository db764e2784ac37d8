import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Environment {
  /// Runs `body` in the only write transaction and commits; aborts if it throws. Blocks while another thread or process
  /// writes. Throws `writerBusy` if the writing process shows no sign of life for the time in the options.
  ///
  /// If the map has to grow, `body` runs again in a fresh transaction: it must be repeatable. Its closure must name its
  /// error: `{ transaction throws(StorageError) in … }`. A failed commit has changed nothing, except with
  /// `commitOutcomeUnknown`.
  ///
  /// - Parameters:
  ///   - limit: The longest wait for a process that shows no sign of life, in milliseconds; `nil` takes the limit of
  ///     the options.
  ///   - isCancelled: Asked now and then while the call waits, with the milliseconds waited. If it returns true, the
  ///     call throws `cancelled`.
  @inlinable package func write<R: ~Copyable, E: StorageErrorConvertible>(
    waiting limit: Int? = nil, unless isCancelled: (_ milliseconds: Int) -> Bool = { _ in false },
    _ body: (borrowing WriteTransaction) throws(E) -> R
  ) throws(E) -> R {
    var outcome: Result<R, E>?
    try E.converting { () throws(StorageError) in
      try run(waiting: limit, unless: isCancelled) { transaction in
        do throws(E) {
          outcome = .success(try body(transaction))
          return true
        } catch {
          outcome = .failure(error)
          return false
        }
      } discarding: {
        outcome = nil
      }
    }
    return try outcome.take()!.get()
  }

  /// Like ``write(waiting:unless:_:)``, and returns the result in any case. Commits only if `commits` is true for it.
  package func write<R, E: StorageErrorConvertible>(
    unless isCancelled: (_ milliseconds: Int) -> Bool = { _ in false },
    _ body: (borrowing WriteTransaction) throws(E) -> R, committingIf commits: (R) -> Bool
  ) throws(E) -> R {
    var outcome: Result<R, E>?
    try E.converting { () throws(StorageError) in
      try run(waiting: nil, unless: isCancelled) { transaction in
        do throws(E) {
          let result = try body(transaction)
          outcome = .success(result)
          return commits(result)
        } catch {
          outcome = .failure(error)
          return false
        }
      } discarding: {
        outcome = nil
      }
    }
    return try outcome!.get()
  }

  /// Like the typed form; rethrows the body's error as it is, or throws a `StorageError`.
  @_disfavoredOverload
  package func write<R: ~Copyable>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
    do {
      return try write { transaction throws(BodyError) in
        do { return try body(transaction) } catch { throw BodyError(error) }
      }
    } catch {
      throw error.underlying
    }
  }

  /// Lets readers see the last commit if its process died between writing and publishing it. Without this call, they
  /// read the state before it until the next write.
  ///
  /// Costs a read. Never waits for a living or stopped writer, because no program knows yet that its commit succeeded.
  package func bringToLight() throws(StorageError) {
    if options.readOnly { return }
    let last = try information(.beginRead).me_last_txnid
    if try read({ (snapshot) throws(StorageError) in snapshot.id }) >= last { return }
    if sighting != nil { return }
    var writerWait = WriterWait(milliseconds: 0)
    do throws(StorageError) {
      try lockWriter(&writerWait) { _ in false }
      defer { writer.unlock() }
      // LMDB cleans up after a dead writer when the next one takes its lock.
      abort(try beginWrite(&writerWait) { _ in false })
    } catch {
      guard case .writerBusy = error else { throw error }
    }
  }

  /// Carries any error through the typed form.
  struct BodyError: StorageErrorConvertible {
    let underlying: any Error
    init(_ error: StorageError) { underlying = error }
    init(_ error: any Error) { underlying = error }
  }

  /// ``write(waiting:unless:_:)`` without the types of the result and the error, which the caller keeps. So it is
  /// compiled once, and each caller inlines only the code with these types.
  ///
  /// - Parameters:
  ///   - body: Returns whether it succeeded.
  ///   - discard: Called before `body` runs again, because the result must not keep the map from growing.
  @usableFromInline func run(
    waiting limit: Int?, unless isCancelled: (Int) -> Bool, _ body: (borrowing WriteTransaction) -> Bool,
    discarding discard: () -> Void
  ) throws(StorageError) {
    var writerWait = WriterWait(milliseconds: limit ?? options.writerTimeout)
    try lockWriter(&writerWait, unless: isCancelled)
    defer { writer.unlock() }
    while try !attempt(&writerWait, unless: isCancelled, body) {
      discard()
      try growMap()
    }
  }

  /// False if the map is full.
  private func attempt(
    _ writerWait: inout WriterWait, unless isCancelled: (Int) -> Bool, _ body: (borrowing WriteTransaction) -> Bool
  ) throws(StorageError) -> Bool {
    let transaction = try beginWrite(&writerWait, unless: isCancelled)
    let recorder = recordsChanges ? writer.recorder : nil
    recorder?.pointee.begin()
    let isWritten = body(WriteTransaction(transaction, failure: writer.failure, recorder: recorder))
    let code = writer.failure.pointee
    if isWritten && code == MDB_SUCCESS { return try commit(transaction) }
    abort(transaction)
    if code == MDB_MAP_FULL { return false }
    // The body caught the error of a write, so its writes are incomplete.
    if isWritten { throw StorageError(code: code, .commit, path: directory) }
    return true
  }

  /// - Parameter isRepetition: Whether the transaction repeats an interrupted commit, whose after-image must stay.
  func beginWrite(
    _ writerWait: inout WriterWait, unless isCancelled: (Int) -> Bool, isRepetition: Bool = false
  ) throws(StorageError) -> OpaquePointer {
    var resizes = Backoff(milliseconds: options.resizeTimeout)
    while true {
      let seen = try enter(.beginWrite, takesPooled: false).seen
      // Only now: as long as a transaction is counted in, the lock file stays mapped.
      if locks.writer != nil {
        leave()
        try awaitWriter(&writerWait, unless: isCancelled)
        continue
      }
      writer.failure.pointee = MDB_SUCCESS
      var transaction: OpaquePointer?
      let code = mdb_txn_begin(handle.pointer, nil, 0, &transaction)
      if code == MDB_SUCCESS, let transaction {
        let isInterrupted: Bool
        do throws(StorageError) {
          isInterrupted = try requireOwnFiles(transaction, seen, isRepetition: isRepetition)
        } catch {
          mdb_txn_abort(transaction)
          leave()
          throw error
        }
        if !isInterrupted { return transaction }
        mdb_txn_abort(transaction)
        leave()
        try repeatCommit(writer.interruptedCommit.pointee, &writerWait, unless: isCancelled)
        continue
      }
      leave()
      try prepareRepetition(after: code, &resizes, .beginWrite)
    }
  }

  /// Called within a write transaction, before it writes. Returns whether a commit must be repeated first.
  private func requireOwnFiles(
    _ transaction: OpaquePointer, _ seen: CommitMark, isRepetition: Bool
  ) throws(StorageError) -> Bool {
    if isLockFileLost { throw .fileDeleted(.lock, site(.beginWrite)) }
    let base = mdb_txn_id(transaction) - 1
    if hasContent(of: base, seen, transaction) == false { throw .fileReplaced(site(.beginWrite)) }
    if !isRepetition, mustRepeat(transaction) { return true }
    let isDead = !isRepetition && hasDeadAfterImage(transaction)
    let failure = flushAgain(withdrawing: isDead ? base + 1 : nil)
    if failure != 0 { throw StorageError(code: failure, .beginWrite, path: directory) }
    if let problem = problemOfFreePages(transaction) { throw .damagedStructure(problem, site(.beginWrite)) }
    return false
  }

  /// False if the map is full.
  func commit(_ transaction: OpaquePointer, isRepetition: Bool = false) throws(StorageError) -> Bool {
    if getpid() != process { throw .forked(site(.commit)) }
    if isDataFileLost {
      abort(transaction)
      throw .fileDeleted(.data, site(.commit))
    }
    let number = mdb_txn_id(transaction)
    let isCheckDue = number % Self.commitsBetweenChecks == 0
    let hasAfterImage = isRepetition ? false : try writeAfterImage(of: transaction)
    let code = commit(transaction, withAfterImage: hasAfterImage)
    if code == MDB_SUCCESS {
      counters.count(.commit)
      if isCheckDue { checkReaders() }
      leave()
      return true
    }
    var outcomeIsUnknown = hasPanicked()
    if outcomeIsUnknown { panicked() }
    if hasAfterImage || code != MDB_MAP_FULL, !forgetMetaPages(withdrawing: hasAfterImage ? number : nil) {
      outcomeIsUnknown = true
      panicIfRepeatable(number)
    }
    leave()
    counters.count(.abort)
    if outcomeIsUnknown { throw .commitOutcomeUnknown(errno: code, site(.commit)) }
    if code == MDB_MAP_FULL { return false }
    throw Self.cutShort(StorageError(code: code, .commit, path: directory), directory)
  }

  /// Counts the commits of all processes. Until the check, LMDB reuses no page that a killed process was reading.
  private static let commitsBetweenChecks = 256

  /// Whether the next process that opens the data file has another lock file, and so does not see the locks.
  private var isLockFileLost: Bool {
    guard let lockFile, !lockFile.isInPlace else { return false }
    // A folder that was moved has both files.
    return dataFile.isInPlace || OpenFile.hasNoName(locks.descriptor)
  }

  /// Throws `fileDeleted` if the path of the data file leads to another file, or to none. Costs a system call.
  package func requireDataFile() throws(StorageError) {
    _ = try enter(.checkFile, takesPooled: false)
    defer { leave() }
    if isDataFileLost { throw .fileDeleted(.data, site(.checkFile)) }
  }

  private var isDataFileLost: Bool {
    var descriptor: CInt = -1
    return mdb_env_get_fd(handle.pointer, &descriptor) == MDB_SUCCESS && dataFile.isLost(descriptor)
  }

  func abort(_ transaction: OpaquePointer) {
    if getpid() != process { return }
    mdb_txn_abort(transaction)
    counters.count(.abort)
    leave()
  }

  /// LMDB gives up an environment if it fails to write the meta page that makes a commit valid. A commit that failed
  /// before that has changed nothing.
  private func hasPanicked() -> Bool {
    var transaction: OpaquePointer?
    let code = mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction)
    if code == MDB_SUCCESS, let transaction { mdb_txn_abort(transaction) }
    return code == MDB_PANIC
  }

  /// Doubles the map. Called with the writer's lock held, after its transaction has ended.
  func growMap() throws(StorageError) {
    if freeBytes() < 1 << 20 { throw .diskFull(site(.setMapSize)) }
    let size = try information(.setMapSize).me_mapsize
    let (wanted, overflow) = size.multipliedReportingOverflow(by: 2)
    if overflow || !Environment.isReservable(wanted) { throw .mapFull(site(.setMapSize)) }
    try resizeMap(to: wanted, .setMapSize)
  }
}
