import CRepriseLMDB
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Environment {
  /// Replaces the data file of an environment by a compacted copy, flushed.
  ///
  /// Meanwhile, other processes that open it wait. A kill leaves the old file or the new one. It may also leave a file
  /// `data.mdb.unfinished`, which the next call removes.
  ///
  /// - Parameters:
  ///   - progress: Called from 0 to 1.
  ///   - require: Called with the names of the tables before the copy, when the structure of the file is known to be
  ///     sound. Throws if the file must stay as it is.
  /// - Returns: The sizes of the file before and after.
  /// - Throws: `inUse` if another process has it open, `alreadyOpenWithOtherOptions` if this one has; damage, if the
  ///   structure of its pages is not sound.
  package static func compact(
    directory: String, progress: (Double) -> Void = { _ in },
    requiring require: (_ tables: [String]) throws(StorageError) -> Void = { _ in }
  ) throws(StorageError) -> (before: Int, after: Int) {
    progress(0)
    return try replaceFile(directory) { (old, unfinished) throws(StorageError) in
      try require(old.tables)
      // Checking reads all pages, and copying reads and writes them.
      let checked = 0.4
      progress(checked)
      try copyUnlocked(directory, to: unfinished, old.facts) { bytes in
        progress(checked + (1 - checked) * min(1, Double(bytes) / Double(max(1, old.usedBytes))))
      }
      progress(1)
    }
  }

  /// The data file to replace.
  struct OldFile {
    let facts: stat
    /// The bytes of its used pages.
    let usedBytes: Int
    /// The names of its tables.
    let tables: [String]
  }

  /// Replaces the data file of an environment that nobody has open. `make` writes the new file to a path, flushed.
  ///
  /// - Parameter keepsOld: Whether the old file stays in the directory, as `data.mdb.replaced-1`, or with a greater
  ///   number.
  static func replaceFile<Failure: StorageErrorConvertible>(
    _ directory: String, keepsOld: Bool = false, by make: (OldFile, _ unfinished: String) throws(Failure) -> Void
  ) throws(Failure) -> (before: Int, after: Int) {
    let identity = try Failure.converting { () throws(StorageError) in try claim(directory) }
    defer { Registry.release(identity) }
    return try replaceClaimed(directory, keepsOld, by: make)
  }

  private static func claim(_ directory: String) throws(StorageError) -> FileIdentity {
    let identity = try FileIdentity.directory(directory)
    guard case .claimed = Registry.claim(identity) else {
      throw .alreadyOpenWithOtherOptions(difference: "it must be closed", StorageError.Site(.copy, directory))
    }
    return identity
  }

  private static func replaceClaimed<Failure: StorageErrorConvertible>(
    _ directory: String, _ keepsOld: Bool, by make: (OldFile, _ unfinished: String) throws(Failure) -> Void
  ) throws(Failure) -> (before: Int, after: Int) {
    let site = StorageError.Site(.copy, directory)
    let data = directory + "/" + DataFile.name
    let lock = systemOpen(directory + "/" + LockFile.name, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    // Without the file, the environment cannot be open.
    if lock < 0, errno != ENOENT { throw Failure(StorageError(code: errno, .copy, path: directory)) }
    // In the same way as LMDB's own lock: a process with an open environment shares it, and an opening one waits. The
    // system drops it with the first descriptor of the file that this process closes. Nothing from here to the end
    // closes one, but the program may, on another thread.
    defer { if lock >= 0 { systemClose(lock) } }
    if lock >= 0, !lockExclusively(lock) { throw Failure(.inUse(site)) }
    let isLockKnown = ByteLock.isTakenByProcess(0, of: lock)
    let report = try Failure.converting { () throws(StorageError) in
      let report = try DataFile.requireSoundStructure(directory)
      try repeatInterruptedCommit(ofClosed: directory)
      return report
    }
    var status = stat()
    guard stat(data, &status) == 0 else { throw Failure(StorageError(code: errno, .copy, path: directory)) }
    let before = Int(status.st_size)
    let unfinished = data + ".unfinished"
    unlink(unfinished)
    do throws(Failure) {
      let usedBytes = report.map { ($0.pages - $0.freePages) * $0.pageSize } ?? before
      let tables = (report?.tables ?? []).map { $0.name }
      try make(OldFile(facts: status, usedBytes: usedBytes, tables: tables), unfinished)
    } catch {
      unlink(unfinished)
      throw error
    }
    if isLockKnown, !ByteLock.isTakenByProcess(0, of: lock) {
      unlink(unfinished)
      throw Failure(.lockLost(site))
    }
    let kept = keepsOld ? keepOld(data) : nil
    guard !keepsOld || kept != nil, rename(unfinished, data) == 0, stat(data, &status) == 0 else {
      let code = errno
      unlink(unfinished)
      if let kept { unlink(kept) }
      throw Failure(StorageError(code: code, .copy, path: directory))
    }
    try Failure.converting { () throws(StorageError) in try flushNames(directory) }
    // The lock file has the number of the last commit of the old file. LMDB writes it again while the lock is
    // exclusive.
    if lock >= 0 { renewLockFile(directory) }
    return (before, Int(status.st_size))
  }

  /// Gives the old file a second name, and returns it. `nil` with `errno` after a failure.
  private static func keepOld(_ data: String) -> String? {
    var number = 1
    while link(data, "\(data).replaced-\(number)") != 0 {
      if errno != EEXIST { return nil }
      number += 1
    }
    return "\(data).replaced-\(number)"
  }

  /// Repeats an interrupted commit, because the new file gets no after-image. Called while nobody else has the file.
  private static func repeatInterruptedCommit(ofClosed directory: String) throws(StorageError) {
    guard let file = try DataFile(directory: directory), let image = try file.interruptedCommit() else { return }
    try InterruptedCommit(image: image).repeat(inCopy: directory + "/" + DataFile.name, directory)
  }

  private static func lockExclusively(_ descriptor: Int32) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0
    lock.l_len = 1
    return fcntl(descriptor, F_SETLK, &lock) == 0
  }

  /// Copies without LMDB's locks: nobody else has the file.
  private static func copyUnlocked(
    _ directory: String, to path: String, _ like: stat, _ progress: (Int) -> Void
  ) throws(StorageError) {
    let environment = try openUnlocked(directory, like, tables: 0)
    defer { mdb_env_close(environment) }
    let file = try makeFile(path, like, directory)
    defer { systemClose(file) }
    try EnvironmentCopy(Handle(pointer: environment), of: directory, to: file).wait(progress)
  }

  static func openUnlocked(
    _ directory: String, _ status: stat, tables: Int
  ) throws(StorageError) -> OpaquePointer {
    var created: OpaquePointer?
    var code = mdb_env_create(&created)
    guard code == MDB_SUCCESS, let environment = created else {
      throw StorageError(code: code, .copy, path: directory)
    }
    mdb_env_set_mapsize(environment, Int(status.st_size))
    mdb_env_set_maxdbs(environment, UInt32(tables))
    code = mdb_env_open(environment, directory, UInt32(MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS), 0)
    if code == MDB_SUCCESS { return environment }
    mdb_env_close(environment)
    throw StorageError(code: code, .copy, path: directory)
  }

  /// Makes a file with the owner and mode of the old one, and returns its descriptor.
  static func makeFile(_ path: String, _ like: stat, _ directory: String) throws(StorageError) -> Int32 {
    let file = systemOpen(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file < 0 { throw StorageError(code: errno, .copy, path: directory) }
    // Only the superuser may give files away, and nobody else needs to.
    _ = fchown(file, like.st_uid, like.st_gid)
    fchmod(file, like.st_mode & 0o7777)
    return file
  }

  private static func flushNames(_ directory: String) throws(StorageError) {
    let descriptor = systemOpen(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw StorageError(code: errno, .copy, path: directory) }
    defer { systemClose(descriptor) }
    // Some file systems have nothing to flush for a directory.
    if fsync(descriptor) != 0, errno != EINVAL { throw StorageError(code: errno, .copy, path: directory) }
  }

  private static func renewLockFile(_ directory: String) {
    var created: OpaquePointer?
    guard mdb_env_create(&created) == MDB_SUCCESS, let environment = created else { return }
    mdb_env_set_mapsize(environment, 1 << 20)
    mdb_env_open(environment, directory, UInt32(MDB_NOTLS), 0o600)
    mdb_env_close(environment)
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
