import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A pipe that is read line by line. What several processes write into it, a line at a time, comes in the order in
/// which it was written.
final class Lines {
  /// Where they write.
  private(set) var input: Int32
  private let output: Int32
  private var unread: [UInt8] = []
  private var place = 0

  init() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Child.CannotSpawn(program: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (output, input) = (ends[0], ends[1])
  }

  deinit {
    closeInput()
    close(output)
  }

  /// From now on the end comes when all have ended who were given the input.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// The next line; `nil` at the end, or if none comes until the deadline.
  func next(until deadline: Date = .distantFuture) -> String? {
    while true {
      if let end = unread[place...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { place = end + 1 }
        return String(decoding: unread[place..<end], as: UTF8.self)
      }
      unread.removeFirst(place)
      place = 0
      let left = deadline.timeIntervalSinceNow
      // Rounded down: the last part of a millisecond is waited for by asking again and again.
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, deadline == .distantFuture ? -1 : Int32(max(0, left * 1000)))
      if ready == 0 {
        if left > 0 { continue }
        return nil
      }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return nil }
      unread += chunk[..<count]
    }
  }

  /// Says a line among those of the others.
  func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
  }
}
