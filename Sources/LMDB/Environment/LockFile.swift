import CRepriseLMDB
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `lock.mdb`, before LMDB maps it. LMDB makes it sparse. Touching a mapped page without space on the disk ends the
/// process with SIGBUS. So its blocks are allocated first, where a full disk is an error.
///
/// Use only while this process has no environment on the file: closing it drops the process's locks.
enum LockFile {
  static let name = "lock.mdb"

  /// Creates the file if there is none, with exactly this mode, and allocates all its blocks.
  ///
  /// The length does not change: LMDB measures it while holding its lock, and other processes map the file at that
  /// length.
  ///
  /// - Returns: Which file it is. `nil` if there is none on a file system that cannot be written.
  @discardableResult
  static func prepare(_ directory: String, _ options: Environment.Options) throws(StorageError) -> FileIdentity? {
    let path = directory + "/" + name
    let needed = room(readers: options.maxReaders)
    var status = stat()
    if lstat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFLNK { throw .symbolicLink(name: name, StorageError.Site(.open, directory)) }
      // A reader must learn whether the file system is read-only.
      if !options.readOnly, has(max(needed, Int(status.st_size)), status) { return FileIdentity(status) }
    }
    let descriptor = open(path, options.fileMode)
    if descriptor < 0 {
      // LMDB then reads without locks.
      if errno == EROFS && options.readOnly {
        try requireUnused(directory)
        return nil
      }
      throw StorageError(code: errno, .open, path: directory)
    }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0 else { throw StorageError(code: errno, .open, path: directory) }
    let code = allocate(max(needed, Int(status.st_size)), descriptor)
    switch code {
    case 0: break
    case EOPNOTSUPP, ENOSYS:
      // The file system cannot reserve blocks. All that can be checked is that some are free.
      if Environment.freeBytes(directory) < 1 << 20 { throw .diskFull(StorageError.Site(.open, directory)) }
    default: throw StorageError(code: code, .open, path: directory)
    }
    return FileIdentity(status)
  }

  /// Throws if a process has the environment open. It may write to it through another mount of the same files.
  private static func requireUnused(_ directory: String) throws(StorageError) {
    let descriptor = systemOpen(directory + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if ByteLock.isTaken(0, of: descriptor) { throw .inUse(StorageError.Site(.open, directory)) }
  }

  /// Waits until no other process has LMDB's lock for making the files. LMDB waits for that lock without a limit.
  ///
  /// - Throws: `writerBusy`, `cancelled`.
  static func awaitMaker(
    _ directory: String, _ writerWait: inout WriterWait, unless isCancelled: () -> Bool
  ) throws(StorageError) {
    let site = StorageError.Site(.open, directory)
    let descriptor = systemOpen(directory + "/" + name, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var slept = 0
    while let holder = ByteLock.exclusiveHolder(0, of: descriptor) {
      try writerWait.look(atMaker: holder > 0 ? holder : nil, after: slept, site)
      if isCancelled() { throw .cancelled(site) }
      slept = writerWait.sleep()
    }
  }

  /// At least the size that LMDB maps: a header, and a slot of one cache line for each reader.
  private static func room(readers: Int) -> Int { 64 * max(0, min(readers, 1 << 20)) + 4096 }

  private static func has(_ count: Int, _ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && Int(status.st_blocks) * 512 >= count
  }

  private static func open(_ path: String, _ mode: UInt32) -> Int32 {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
    while true {
      let found = systemOpen(path, flags)
      if found >= 0 || errno != ENOENT { return found }
      let made = systemOpen(path, flags | O_CREAT | O_EXCL, mode_t(mode))
      if made >= 0 {
        // Sets the bits that the process's umask removed.
        fchmod(made, mode_t(mode))
        return made
      }
      if errno != EEXIST { return made }
    }
  }

  /// Returns 0 or an error number.
  private static func allocate(_ count: Int, _ descriptor: Int32) -> Int32 {
    #if os(Linux) || os(Android)
    while true {
      if fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, off_t(count)) == 0 { return 0 }
      if errno != EINTR { return errno }
    }
    #else
    var store = fstore_t(
      fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(count),
      fst_bytesalloc: 0)
    return fcntl(descriptor, F_PREALLOCATE, &store) == -1 ? errno : 0
    #endif
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
