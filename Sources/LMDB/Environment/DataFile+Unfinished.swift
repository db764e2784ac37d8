#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension DataFile {
  /// Truncates a file that was begun and has no commit. LMDB writes the first two pages at once. On a full disk, it may
  /// have written only one of them. If the first commit failed, the disk may have any of its pages.
  ///
  /// Holds LMDB's lock for creation, which needs `lock.mdb`. So a process that is creating the file is not disturbed.
  static func emptyUnfinished(_ directory: String) {
    let lock = systemOpen(directory + "/" + LockFile.name)
    guard lock >= 0 else { return }
    defer { close(lock) }
    var making = flock()
    making.l_type = Int16(F_WRLCK)
    making.l_whence = Int16(SEEK_SET)
    making.l_len = 1
    guard fcntl(lock, F_SETLK, &making) == 0 else { return }
    let data = systemOpen(directory + "/" + name)
    guard data >= 0 else { return }
    defer { close(data) }
    var status = stat()
    guard fstat(data, &status) == 0, status.st_size > 0 else { return }
    if status.st_size < 2 * Int(getpagesize()) || hasNoCommit(directory) { ftruncate(data, 0) }
  }

  private static func hasNoCommit(_ directory: String) -> Bool {
    guard let file = try? DataFile(directory: directory) else { return false }
    return (try? file.newestMeta())?.transactionID == 0
  }
}

private func systemOpen(_ path: String) -> Int32 { open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
