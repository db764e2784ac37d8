import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Environment {
  /// Shared maps and file locks do not work across machines, and a file that two of them write is lost. A file system
  /// that cannot be determined counts as local.
  static func refuseNetworkFileSystem(_ directory: String) throws(StorageError) {
    var status = statfs()
    guard statfs(directory, &status) == 0 else { return }
    #if os(Linux) || os(Android)
    // NFS, SMB (three forms), 9P, Ceph, AFS (two forms), Lustre, GPFS, NCP, Coda.
    let remote: [UInt32] = [
      0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x6B41_4653, 0x0BD0_0BD0,
      0x4750_4653, 0x564C, 0x7375_7245,
    ]
    let isRemote = remote.contains(UInt32(truncatingIfNeeded: status.f_type))
    #else
    let isRemote = status.f_flags & UInt32(MNT_LOCAL) == 0
    #endif
    if isRemote { throw .networkFileSystem(StorageError.Site(.open, directory)) }
  }

  /// The largest size up to `wanted` that the process can still map. Checked first, because LMDB unmaps the old map
  /// before it learns that there is no room for the new one.
  static func reservable(_ wanted: Int) -> Int {
    var size = wanted
    let smallest = 1 << 24
    while size > smallest && !isReservable(size) { size /= 2 }
    return size
  }

  static func isReservable(_ size: Int) -> Bool {
    #if os(Linux) || os(Android)
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #else
    let flags = MAP_PRIVATE | MAP_ANON
    #endif
    let start = mmap(nil, size, PROT_NONE, flags, -1, 0)
    if start == MAP_FAILED { return false }
    munmap(start, size)
    return true
  }

  /// LMDB reports a short write as an I/O error, even when the cause is a full disk or a limit.
  static func cutShort(_ error: StorageError, _ directory: String) -> StorageError {
    guard case .inputOutput(let site) = error else { return error }
    if freeBytes(directory) < 1 << 20 { return .diskFull(site) }
    var limit = rlimit()
    var status = stat()
    #if canImport(Glibc)
    let code = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
    let code = getrlimit(RLIMIT_FSIZE, &limit)
    #endif
    if code == 0, stat(directory + "/" + DataFile.name, &status) == 0,
      UInt64(limit.rlim_cur) <= UInt64(status.st_size) + 65536
    {
      return .fileTooLarge(site)
    }
    return error
  }

  func freeBytes() -> Int { Self.freeBytes(directory) }

  static func freeBytes(_ directory: String) -> Int {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return Int.max }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? Int.max : Int(clamping: bytes)
  }
}
