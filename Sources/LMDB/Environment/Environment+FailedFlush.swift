import CRepriseLMDB
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// Linux forgets what a flush could not write: the pages count as written, and the next flush succeeds without them.
//
// A commit that fails for it is given up, and the next one writes its pages anew. But what the meta pages say may be
// something else on the disk than in the system's memory then. With `relaxed` durability the flush of a commit is also
// the one that makes the meta page of the commit before survive; and where the last write of a commit fails, LMDB puts
// the former meta page back, which the disk need not have. LMDB takes the meta pages for safe all the same, and writes
// over pages that only others lead to. So they are written again as they are, and flushed, before anything else is.
extension Environment {
  /// Whose meta pages may be others on the disk, though their environment is closed.
  private static let unsettled = Guarded<[FileIdentity]>([])

  /// Of an environment that is just being opened.
  func recallMetaPages() {
    writer.metaPagesAreForgotten.pointee = Self.unsettled.withLock { $0.contains(dataIdentity) }
  }

  /// After a flush or the last write of a commit failed. The writer's lock is held.
  func forgetMetaPages() {
    writer.metaPagesAreForgotten.pointee = true
    Self.unsettled.withLock { if !$0.contains(dataIdentity) { $0.append(dataIdentity) } }
    // At once, for other processes that write. If it fails, before the next commit of this one.
    var transaction: OpaquePointer?
    switch mdb_txn_begin(handle.pointer, nil, 0, &transaction) {
    case MDB_SUCCESS:
      _ = rewriteForgottenMetaPages()
      mdb_txn_abort(transaction)
    case MDB_PANIC:
      // Nobody can write here any more, and others may do so now: no more can be done than to flush.
      mdb_env_sync(handle.pointer, 1)
    default: break
    }
  }

  /// Makes what can be read survive a power cut, whatever failed before.
  package func settle() throws(StorageError) {
    try lockWriter()
    defer { writer.unlock() }
    writer.metaPagesAreForgotten.pointee = true
    abort(try beginWrite())
  }

  /// Within a write transaction, so that nobody changes them meanwhile. Returns 0 or an error number.
  func rewriteForgottenMetaPages() -> Int32 {
    guard writer.metaPagesAreForgotten.pointee else { return 0 }
    var descriptor: CInt = -1
    var statistics = MDB_stat()
    guard mdb_env_get_fd(handle.pointer, &descriptor) == MDB_SUCCESS,
      mdb_env_stat(handle.pointer, &statistics) == MDB_SUCCESS
    else { return EINVAL }
    var pages = [UInt8](repeating: 0, count: 2 * Int(statistics.ms_psize))
    var code: Int32 = pages.withUnsafeMutableBytes { bytes in
      errno = EIO
      let isDone =
        pread(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count
        && pwrite(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count
      return isDone ? 0 : errno
    }
    if code == 0 { code = mdb_env_sync(handle.pointer, 1) }
    if code == 0 {
      writer.metaPagesAreForgotten.pointee = false
      Self.unsettled.withLock { $0.removeAll { $0 == dataIdentity } }
    }
    return code
  }
}
