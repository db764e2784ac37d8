#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension DataFile {
  /// Empties a file that somebody began to make on a disk that filled up: LMDB writes its first two pages at once, and
  /// may have got one of them in. No commit was ever in such a file.
  ///
  /// Under LMDB's lock for the making, for which `lock.mdb` must be there: who makes the file just now is left alone.
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
    if fstat(data, &status) == 0, status.st_size > 0, status.st_size < 2 * Int(getpagesize()) { ftruncate(data, 0) }
  }
}

private func systemOpen(_ path: String) -> Int32 { open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
