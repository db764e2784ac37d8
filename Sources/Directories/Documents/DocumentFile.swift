import RepriseRemote

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One file, and its replacement. The new content is on the disk before it gets the file's name.
struct DocumentFile {
  private let root: String
  private let place: String
  private var path: String { root + "/" + place }
  /// That it is in.
  private var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? root }

  init(in root: String, _ place: String) { (self.root, self.place) = (root, place) }

  /// Size, time and inode.
  struct Version {
    let text: String
    let size: Int64
    let modified: Duration

    init(_ status: FileStatus) {
      let time = status.modified.components
      (size, modified) = (status.size, status.modified)
      let file = status.file.handle ?? String(status.file.inode)
      text = "\(status.size)-\(time.seconds).\(time.attoseconds / 1_000_000_000)-\(file)"
    }
  }

  /// `nil` if there is nothing.
  func status() throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try FileStatus(Array(path.utf8))
    } catch {
      if error.isAbsence { return nil }
      throw error
    }
  }

  /// `nil` if there is no file.
  func version() throws(SystemError) -> Version? {
    try status().flatMap { $0.kind == .file ? Version($0) : nil }
  }

  /// Whether a later change would have another time.
  func isOlderThanATick(_ version: Version) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let age = .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - version.modified
    // A file from the future is as it is.
    return age > .milliseconds(15) || age < .zero
  }

  /// `nil` if it is longer, or gone.
  func content(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 {
      if errno == ENOENT { return nil }
      throw SystemError("opening", errno)
    }
    defer { close(file) }
    var content: [UInt8] = []
    while content.count <= limit {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw SystemError("reading", errno) }
      if count == 0 { return content }
      content += buffer[..<count]
    }
    return nil
  }

  // MARK: Writing

  private static let prefix = ".reprise-document-"

  /// A file that is not finished, or was left so by a kill.
  static func isTemporary(_ name: PathBytes) -> Bool { name.bytes.starts(with: Array(prefix.utf8)) }

  /// - Parameter isReplacement: Whether there is a file to be replaced. Otherwise there must be none.
  /// - Returns: False if there is one, though there should not be.
  func write(_ content: [UInt8], replacing isReplacement: Bool) throws(SystemError) -> Bool {
    try makeFolder()
    var random = SystemRandomNumberGenerator()
    let temporary = folder + "/" + Self.prefix + String(random.next(), radix: 36)
    try fill(temporary, content)
    defer { unlink(temporary) }
    if isReplacement {
      guard rename(temporary, path) == 0 else { throw SystemError("renaming", errno) }
    } else if link(temporary, path) != 0 {
      if errno == EEXIST { return false }
      throw SystemError("linking", errno)
    }
    try flushFolder()
    return true
  }

  private func fill(_ temporary: String, _ content: [UInt8]) throws(SystemError) {
    var status = stat()
    let mode = stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0o666
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw SystemError("making", errno) }
    defer { close(file) }
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Self.write(file, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return try fail("writing", temporary) }
      rest = rest.dropFirst(count)
    }
    if fsync(file) != 0 { return try fail("flushing", temporary) }
  }

  private func fail(_ operation: String, _ temporary: String) throws(SystemError) {
    let error = SystemError(operation, errno)
    unlink(temporary)
    throw error
  }

  private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.write(file, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    Musl.write(file, bytes.baseAddress, bytes.count)
    #else
    Darwin.write(file, bytes.baseAddress, bytes.count)
    #endif
  }

  /// Makes the folders below the root, which may be missing because its disk is.
  private func makeFolder() throws(SystemError) {
    var made = root
    for part in place.split(separator: "/").dropLast() {
      made += "/" + part
      if mkdir(made, 0o777) != 0, errno != EEXIST { throw SystemError("making", errno) }
    }
  }

  func remove() throws(SystemError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("deleting", errno) }
    try flushFolder()
  }

  private func flushFolder() throws(SystemError) {
    let file = open(folder, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError("opening", errno) }
    defer { close(file) }
    // Some file systems have no such call.
    if fsync(file) != 0, errno != EINVAL { throw SystemError("flushing", errno) }
  }
}

extension SystemError {
  var text: String { "\(operation): \(String(cString: strerror(code)))" }

  /// The folder is the server.
  func remoteError(_ folder: String) -> RemoteError {
    let reason = "'\(folder)' failed in \(text)"
    return switch code {
    case EACCES, EPERM, EROFS: .denied(reason: reason)
    default: .unavailable(reason: reason, retryAfter: nil)
    }
  }
}
