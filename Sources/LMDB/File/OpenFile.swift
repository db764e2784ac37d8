#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file, and the path for opening it.
struct OpenFile: Sendable {
  private let path: String
  let identity: FileIdentity

  /// - Parameter directory: A relative path is resolved now, because the process may change its working directory.
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

  /// Whether opening the path now gives another file, or the file has no path. Then no other process reads later
  /// writes, and they may end with this process. A file that was only moved counts as present.
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
