import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension JournalFolder {
  /// Numbers that are not the same after a file was written, made, renamed or removed. They have a meaning only in this
  /// process. Reads the names, sizes and times of the files, and none of their bytes.
  func change() throws(JournalError) -> [Int] {
    guard let folder = try open() else { return [] }
    defer { closedir(folder) }
    var numbers: [Int] = []
    Self.forEachName(in: folder) { name in
      var status = stat()
      guard name.first != UInt8(ascii: "."), let start = name.baseAddress else { return }
      // The name ends with a zero, which the buffer leaves out.
      let isThere = start.withMemoryRebound(to: CChar.self, capacity: name.count + 1) {
        fstatat(dirfd(folder), $0, &status, AT_SYMLINK_NOFOLLOW) == 0
      }
      guard isThere else { return }
      let time = Self.changeTime(of: status)
      var hasher = Hasher()
      hasher.combine(bytes: UnsafeRawBufferPointer(name))
      for number in [Int(status.st_ino), Int(status.st_size), Int(time.tv_sec), Int(time.tv_nsec)] {
        hasher.combine(number)
      }
      numbers.append(hasher.finalize())
    }
    return numbers.sorted()
  }
}
