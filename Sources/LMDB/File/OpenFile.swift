#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is open, and the path under which others open it.
struct OpenFile: Sendable {
  private let path: String
  let identity: FileIdentity

  /// - Parameter directory: If it is relative, it means what it means now: the process may change its own directory.
  init(_ name: String, in directory: String, _ identity: FileIdentity) {
    let path = directory + "/" + name
    self.path = path.utf8.first == UInt8(ascii: "/") ? path : Self.currentDirectory + path
    self.identity = identity
  }

  private static var currentDirectory: String {
    guard let buffer = getcwd(nil, 0) else { return "" }
    defer { free(buffer) }
    return String(cString: buffer) + "/"
  }

  /// Whether the path leads to the file.
  var isInPlace: Bool { FileIdentity(path: path) == identity }

  /// Whether who opens the path now has another file, or none has a path to this one: then what is written here, nobody
  /// else reads, and it may be gone with this process. A file that is only moved away is still the one of its kind.
  func isLost(_ descriptor: Int32) -> Bool {
    if let found = FileIdentity(path: path) { return found != identity }
    return Self.hasNoName(descriptor)
  }

  /// Whether no path leads to the file of a descriptor any more.
  static func hasNoName(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }
}
