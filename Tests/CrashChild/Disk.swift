#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files, without Foundation.
enum Disk {
  struct Failure: Error, CustomStringConvertible {
    let operation: String
    let path: String
    let code: Int32
    var description: String { "\(operation) \(path): \(code)" }
  }

  static func read(_ path: String) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw Failure(operation: "open", path: path, code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { Self.read(descriptor, $0) }
      guard count >= 0 else { throw Failure(operation: "read", path: path, code: errno) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
    Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #else
    Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  /// Makes a file hold exactly these bytes.
  static func write(_ bytes: some Collection<UInt8>, to path: String, mode: mode_t = 0o644) throws(Failure) {
    try patch(Array(bytes), at: 0, of: path, mode: mode)
    if truncate(path, off_t(bytes.count)) != 0 { throw Failure(operation: "truncate", path: path, code: errno) }
  }

  /// Overwrites a part of a file.
  static func patch(_ bytes: [UInt8], at offset: Int, of path: String, mode: mode_t = 0o644) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT, mode)
    guard descriptor >= 0 else { throw Failure(operation: "open", path: path, code: errno) }
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    if written != bytes.count { throw Failure(operation: "write", path: path, code: errno) }
  }

  /// Makes a file that takes all room of its disk.
  static func fill(_ path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    let bytes = [UInt8](repeating: 1, count: 4096)
    while bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) > 0 {
    }
    close(descriptor)
  }

  static func remove(_ path: String) throws(Failure) {
    if unlink(path) != 0 { throw Failure(operation: "remove", path: path, code: errno) }
  }

  /// Removes a store's directory and what the library makes in it.
  static func removeStore(_ path: String) throws(Failure) {
    for name in names(in: path + "/journals") { try remove("\(path)/journals/\(name)") }
    rmdir(path + "/journals")
    for name in names(in: path) where name != "journals" { try remove("\(path)/\(name)") }
    if rmdir(path) != 0 && errno != ENOENT { throw Failure(operation: "remove", path: path, code: errno) }
  }

  static func size(_ path: String) throws(Failure) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure(operation: "stat", path: path, code: errno) }
    return Int(status.st_size)
  }

  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
          String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
