import CRepriseLMDB
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A copy of an environment that is being written: the state of one commit, without free pages. Commits go on
/// meanwhile, but the pages that they free are not reused until it is done.
package final class EnvironmentCopy: Sendable {
  private let descriptor: Int32
  private let directory: String
  private let hasAfterImages: Bool
  /// LMDB's answer, once there is one.
  private let code = Guarded<Int32?>(nil)
  private let answered = WakeUp()

  /// Begins to write an open environment to an empty file, which the caller closes once ``wait(_:)`` has returned.
  fileprivate convenience init(_ environment: Environment, to descriptor: Int32) throws(StorageError) {
    _ = try environment.enter(.copy, takesPooled: false)
    self.init(
      environment.handle, of: environment.directory, to: descriptor, hasAfterImages: environment.imagePlaces != nil
    ) { environment.leave() }
  }

  /// - Parameters:
  ///   - hasAfterImages: Whether to look for after-images in the copy, which requires a file that can be read.
  ///   - whenDone: Called once LMDB has written all, or failed to.
  init(
    _ environment: Environment.Handle, of directory: String, to descriptor: Int32, hasAfterImages: Bool = true,
    whenDone: @escaping @Sendable () -> Void = {}
  ) {
    (self.descriptor, self.directory, self.hasAfterImages) = (descriptor, directory, hasAfterImages)
    let run: @Sendable () -> Void = { [self] in
      let result = mdb_env_copyfd2(environment.pointer, self.descriptor, UInt32(MDB_CP_COMPACT))
      whenDone()
      code.withLock { $0 = result }
      answered.wake()
    }
    if !SystemThread.start(run) { run() }
  }

  /// The bytes written so far.
  package var byteCount: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Returns when it is settled which commit is copied.
  package func begin() {
    // LMDB has its snapshot before it writes.
    while byteCount == 0, code.withLock({ $0 == nil }) { usleep(200) }
  }

  /// Returns when the copy is whole, without after-images, and flushed, or has failed: then nothing writes to the file
  /// any more. Calls `progress` with the bytes written from time to time.
  package func wait(_ progress: (Int) -> Void) throws(StorageError) {
    while code.withLock({ $0 == nil }) {
      answered.wait(until: WakeUp.now() + 20_000_000)
      beginFlushing()
      progress(byteCount)
    }
    if let code = code.withLock({ $0 }), code != MDB_SUCCESS { throw failure(code) }
    if hasAfterImages { try ImagePlaces.empty(copy: descriptor, directory) }
    if fsync(descriptor) != 0 { throw failure(errno) }
  }

  /// Starts writing the data so far to the disk, so that the final flush has little to do. On other systems, the flush
  /// takes longer.
  private func beginFlushing() {
    #if os(Linux)
    let write: UInt32 = 2  // SYNC_FILE_RANGE_WRITE
    _ = sync_file_range(descriptor, 0, 0, write)
    #endif
  }

  /// LMDB reports a short write as an I/O error.
  private func failure(_ code: Int32) -> StorageError {
    let error = StorageError(code: code, .copy, path: directory)
    var status = statvfs()
    guard case .inputOutput(let site) = error, fstatvfs(descriptor, &status) == 0 else { return error }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) < 1 << 20 ? .diskFull(site) : error
  }
}

extension Environment {
  /// Begins a compacted copy to an empty file.
  package func copy(to descriptor: Int32) throws(StorageError) -> EnvironmentCopy {
    try EnvironmentCopy(self, to: descriptor)
  }

  /// About how many bytes a compacted copy takes.
  package func sizeOfCopy() throws(StorageError) -> Int {
    let statistics = try statistics()
    return max(2, statistics.pageCount - statistics.freePages) * statistics.pageSize
  }
}
