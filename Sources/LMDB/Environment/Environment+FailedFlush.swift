import CRepriseLMDB
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// If a flush fails, Linux drops the unwritten pages: they count as written, and the next flush succeeds without them.
//
// A commit that fails for that reason is aborted, and the next one writes its pages again. But the failed flush also
// covers the meta page of the commit before. So the disk may have other meta pages than the page cache. If the last
// write of a commit fails, LMDB restores the former meta page, which the disk may not have. LMDB still assumes that the
// meta pages are durable. So it overwrites pages that only the meta pages on the disk refer to. Therefore, the meta
// pages are rewritten unchanged, and flushed, before anything else is written. For the same reason, the disk may have
// an after-image of the failed commit, which is withdrawn with the same flush.
//
// The meta pages are rewritten before the after-image is withdrawn. If the process dies in between, the next flush of
// any process covers the meta pages. If it dies before, the after-image is still there. Then an opening repeats the
// commit with two flushes, so the disk gets a new meta page.
extension Environment {
  /// Files whose meta pages on the disk may differ from the readable ones. Outlives their environments.
  private static let unsettled = Guarded<[FileIdentity]>([])

  /// Restores the writer's flag for an environment that is being opened.
  func recallMetaPages() {
    writer.metaPagesAreForgotten.pointee = Self.unsettled.withLock { $0.contains(dataIdentity) }
  }

  /// Called after a commit failed, with the writer's lock held.
  ///
  /// - Parameter commit: The number of the commit, if it had an after-image.
  /// - Returns: Whether no power cut can bring the commit back.
  func forgetMetaPages(withdrawing commit: Int?) -> Bool {
    markMetaPagesForgotten()
    // Rewrites the meta pages at once, for other processes that write. If that fails, before the next commit of this
    // process.
    var writerWait = WriterWait(milliseconds: options.writerTimeout)
    if (try? awaitWriter(&writerWait, unless: { _ in false })) == nil { return commit == nil }
    var transaction: OpaquePointer?
    switch mdb_txn_begin(handle.pointer, nil, 0, &transaction) {
    case MDB_SUCCESS:
      defer { mdb_txn_abort(transaction) }
      guard let transaction else { break }
      return isSettled(commit, transaction)
    case MDB_PANIC:
      // This environment can no longer write, and other processes now may: a flush is all that is left to do.
      mdb_env_sync(handle.pointer, 1)
    default: break
    }
    return commit == nil
  }

  func markMetaPagesForgotten() {
    writer.metaPagesAreForgotten.pointee = true
    Self.unsettled.withLock { if !$0.contains(dataIdentity) { $0.append(dataIdentity) } }
  }

  /// Makes the readable state survive a power cut after any failure.
  package func settle() throws(StorageError) {
    var writerWait = WriterWait(milliseconds: options.writerTimeout)
    try lockWriter(&writerWait) { _ in false }
    defer { writer.unlock() }
    writer.metaPagesAreForgotten.pointee = true
    abort(try beginWrite(&writerWait) { _ in false })
  }

  /// Makes the state of the file durable after a failure or the death of a process. Rewrites forgotten meta pages,
  /// withdraws an after-image, and flushes. Costs nothing if there is nothing to do.
  ///
  /// Called within a write transaction, so that no other writer changes the pages.
  ///
  /// - Parameter commit: The number of the commit whose after-image is withdrawn. `nil` if there is none.
  /// - Returns: 0 or an error number.
  func flushAgain(withdrawing commit: Int?) -> Int32 {
    let places = commit == nil ? nil : imagePlaces
    if !writer.metaPagesAreForgotten.pointee && places == nil { return 0 }
    var code = writer.metaPagesAreForgotten.pointee ? rewriteMetaPages() : 0
    if code == 0, let commit, let places {
      code = places.withdraw(commit, dataDescriptor)
      counters.count(.withdrawal)
    }
    if code == 0 { code = mdb_env_sync(handle.pointer, 1) }
    if code == 0 {
      writer.metaPagesAreForgotten.pointee = false
      Self.unsettled.withLock { $0.removeAll { $0 == dataIdentity } }
    } else {
      // The disk may still have the after-image.
      markMetaPagesForgotten()
    }
    return code
  }

  /// Writes both meta pages unchanged, without flushing them. Returns 0 or an error number.
  private func rewriteMetaPages() -> Int32 {
    var descriptor: CInt = -1
    var statistics = MDB_stat()
    guard mdb_env_get_fd(handle.pointer, &descriptor) == MDB_SUCCESS,
      mdb_env_stat(handle.pointer, &statistics) == MDB_SUCCESS
    else { return EINVAL }
    var pages = [UInt8](repeating: 0, count: 2 * Int(statistics.ms_psize))
    return pages.withUnsafeMutableBytes { bytes in
      errno = EIO
      let isDone =
        pread(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count
        && pwrite(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count
      return isDone ? 0 : errno
    }
  }
}
