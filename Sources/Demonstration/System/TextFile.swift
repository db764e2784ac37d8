#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Small text files.
enum TextFile {
  static func lines(of path: String) throws(DemoError) -> [String] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw .system("opening \(path)", errno) }
    let reader = LineReader(descriptor)
    var lines: [String] = []
    while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    return lines
  }

  static func write(_ lines: [String], to path: String) throws(DemoError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw .system("making \(path)", errno) }
    defer { _ = close(descriptor) }
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    guard putAll(bytes[...], into: descriptor) else { throw .system("writing \(path)", errno) }
  }
}

/// Writes all bytes; false if that failed.
func putAll(_ bytes: ArraySlice<UInt8>, into descriptor: Int32) -> Bool {
  var rest = bytes
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
  }
  return true
}

func requireFile(_ path: String) throws(DemoError) {
  guard access(path, R_OK) == 0 else { throw .system("opening \(path)", errno) }
}
