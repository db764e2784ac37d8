#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads lines from a file descriptor, and closes it at the end.
final class LineReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// The next line, without its end; `nil` after the last.
  func next() throws(DemoError) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return buffer[start..<end]
      }
      searched = buffer.count
      if isAtEnd {
        defer { start = buffer.count }
        return start < buffer.count ? buffer[start...] : nil
      }
      searched -= start
      buffer.removeSubrange(..<start)
      start = 0
      try fill()
    }
  }

  private func fill() throws(DemoError) {
    let old = buffer.count
    let chunk = 1 << 18
    buffer.append(contentsOf: repeatElement(0, count: chunk))
    var count: Int
    repeat {
      count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + old }, chunk) }
    } while count < 0 && errno == EINTR
    buffer.removeLast(chunk - max(0, count))
    guard count >= 0 else { throw .system("reading", errno) }
    isAtEnd = count == 0
  }
}
