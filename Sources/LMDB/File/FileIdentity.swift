#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The identity of a path's file, under any name.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  init(_ status: stat) {
    self.init(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Nil if there is nothing at the path.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Nil if the descriptor is of no file.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The identity of a directory that must exist.
  static func directory(_ path: String) throws(StorageError) -> FileIdentity {
    let site = StorageError.Site(.open, path)
    // A C string ends at its first zero, so the rest would be ignored silently, and the path would be another one.
    if path.isEmpty || path.utf8.contains(0) { throw .invalidArgument(site) }
    var status = stat()
    guard stat(path, &status) == 0 else { throw StorageError(code: errno, .open, path: path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(site) }
    return FileIdentity(status)
  }
}
