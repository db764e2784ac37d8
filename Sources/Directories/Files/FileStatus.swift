#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The facts that the system reports about a file. For a link, they are about the link itself.
struct FileStatus {
  let kind: DirectoryEntry.Kind
  let size: Int64
  let modified: Duration
  let file: FileIdentity

  init(_ path: [UInt8], followingLinks: Bool = false) throws(SystemError) {
    let path = path.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else {
      throw SystemError("looking at", errno)
    }
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    size = Int64(status.st_size)
    #if canImport(Darwin)
    let time = status.st_mtimespec
    let birth = status.st_birthtimespec
    let handle: String? = String(status.st_ino, radix: 16) + "." + String(birth.tv_sec * 1_000_000_000 + birth.tv_nsec)
    #else
    let time = status.st_mtim
    let handle = FileHandles.handle(path)
    #endif
    modified = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    file = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), handle: handle)
  }
}

/// Identifies a file under any name.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  /// Unlike the number of the inode, it is never used again for a later file, and it survives a restart of the system.
  /// `nil` if the file system has none.
  let handle: String?
}

#if !canImport(Darwin)
/// The handles with which an NFS server finds files again: usually the inode with its generation.
private enum FileHandles {
  private typealias Call =
    @convention(c) (Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?, Int32) ->
    Int32

  // The headers declare this function only for C programs that request GNU's extensions.
  private static let call = dlsym(nil, "name_to_handle_at").map { unsafeBitCast($0, to: Call.self) }

  /// The most bytes that a handle has.
  private static let limit = 128

  static func handle(_ path: [CChar]) -> String? {
    guard let call else { return nil }
    // `struct file_handle`: the number of bytes, the type, the bytes.
    return withUnsafeTemporaryAllocation(byteCount: 8 + limit, alignment: 8) { buffer in
      buffer.storeBytes(of: UInt32(limit), as: UInt32.self)
      var mount: Int32 = 0
      guard call(AT_FDCWD, path, buffer.baseAddress, &mount, 0) == 0 else { return nil }
      let count = Int(buffer.load(as: UInt32.self))
      guard count > 0, count <= limit else { return nil }
      var text = ""
      for byte in buffer[8..<8 + count] { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
      return text
    }
  }
}
#endif
