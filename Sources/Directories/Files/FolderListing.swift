import RepriseCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The names in a folder.
enum FolderListing {
  /// The names in a folder in no order, without `.` and `..`. O(names).
  static func names(_ path: [UInt8]) throws(SystemError) -> [PathBytes] {
    guard let folder = opendir(path.map { CChar(bitPattern: $0) } + [0]) else { throw SystemError("opening", errno) }
    defer { closedir(folder) }
    var names: [PathBytes] = []
    while true {
      errno = 0
      guard let entry = readdir(folder) else { break }
      guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else { break }
      let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
      if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { continue }
      names.append(PathBytes(Array(bytes)))
    }
    guard errno == 0 else { throw SystemError("reading", errno) }
    return names
  }
}

/// A call of the system that failed.
package struct SystemError: Error {
  let operation: String
  let code: Int32

  package init(_ operation: String, _ code: Int32) {
    self.operation = operation
    self.code = code
  }

  static let notADirectory = SystemError("opening", ENOTDIR)

  static let tooManyWatches = SystemError("watching", EMFILE)

  /// Whether a limit of the process or of the user allows no further watch.
  var isLimit: Bool { code == ENOSPC || code == EMFILE || code == ENFILE }

  /// Whether nothing is at the path.
  var isAbsence: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether the file exists, but the system refuses access to it.
  var isRefusal: Bool { code == EACCES || code == EPERM || code == ENAMETOOLONG || code == ELOOP }

  package func error(at path: String) -> SourceError {
    switch code {
    case ENOENT: .unavailable(source: path, reason: "the folder does not exist")
    case ENOTDIR: .invalid(source: path, reason: "it is not a folder")
    case EACCES, EPERM: .denied(source: path, reason: "\(operation) the folder is not permitted")
    case _ where isLimit && operation == "watching":
      .unavailable(
        source: path,
        reason: "the system does not watch all folders of the source. Raise fs.inotify.max_user_watches, or "
          + "max_user_instances if there are many sources, or give the source a `rescanInterval`")
    default:
      .unavailable(source: path, reason: "\(operation) the folder failed: \(String(cString: strerror(code))) (\(code))")
    }
  }
}
