import RepriseRemote

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads and replaces one file. New content is on the disk before it gets the file's name.
struct DocumentFile {
  private let root: String
  private let place: String
  private var path: String { root + "/" + place }
  /// The path of the folder that contains the file.
  private var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? root }

  init(in root: String, _ place: String) { (self.root, self.place) = (root, place) }

  /// The size, time and inode of a file, which show whether it has changed.
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

  /// The facts about the file. `nil` if nothing is at the path.
  func status() throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try FileStatus(Array(path.utf8))
    } catch {
      if error.isAbsence { return nil }
      throw error
    }
  }

  /// The version of the file. `nil` if no file is at the path.
  func version() throws(SystemError) -> Version? {
    try status().flatMap { $0.kind == .file ? Version($0) : nil }
  }

  /// Whether a later change would have a different time.
  func isOlderThanATick(_ version: Version) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let age = .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - version.modified
    // A file whose time is in the future counts as unchanging, because waiting would not help.
    return age > .milliseconds(15) || age < .zero
  }

  /// The content of the file. `nil` if it is longer than `limit`, or if the file is missing.
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

  /// Whether a name belongs to a temporary file. Such a file is being written, or a kill left it behind.
  static func isTemporary(_ name: PathBytes) -> Bool { name.bytes.starts(with: Array(prefix.utf8)) }

  /// - Parameter isReplacement: Whether to replace a file. Otherwise there must be no file.
  /// - Returns: False if there is a file, although there must be none.
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

  /// Makes the folders below the root. Never makes the root, because it may be missing with its disk.
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
    // Some file systems cannot flush a folder.
    if fsync(file) != 0, errno != EINVAL { throw SystemError("flushing", errno) }
  }
}

extension SystemError {
  /// The error as the error of a remote source, because the folder plays the server's part.
  package func remoteError(_ folder: String) -> RemoteError {
    let reason = "\(operation) the folder or a file in it failed: \(String(cString: strerror(code)))"
    return switch code {
    case EACCES, EPERM, EROFS: .denied(reason: reason, source: folder)
    default: .unavailable(reason: reason, retryAfter: nil, source: folder)
    }
  }
}
