#if PostgreSQL && canImport(CReprisePostgreSQL)
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Ends waits of a thread.
final class LogInterrupt: Sendable {
  private let pipe: (read: Int32, write: Int32)
  private let state = Atomic(false)

  /// `nil` if the process has too many open files.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard Self.open(&ends) else { return nil }
    pipe = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  private static func open(_ ends: inout [Int32]) -> Bool {
    #if canImport(Glibc)
    Glibc.pipe(&ends) == 0
    #elseif canImport(Musl)
    Musl.pipe(&ends) == 0
    #else
    Darwin.pipe(&ends) == 0
    #endif
  }

  deinit {
    close(pipe.read)
    close(pipe.write)
  }

  /// Whether the thread must end.
  var isEnding: Bool { state.load(ordering: .acquiring) }

  func end() {
    state.store(true, ordering: .releasing)
    wake()
  }

  /// Ends the wait of the thread, or its next one.
  func wake() {
    var byte: UInt8 = 1
    _ = write(pipe.write, &byte, 1)
  }

  /// Waits until the socket is ready, until ``wake()``, or until the deadline.
  ///
  /// - socket: Negative if only ``wake()`` counts.
  /// - Returns: Whether the socket is ready.
  func wait(_ socket: Int32, for events: Int32, until deadline: ContinuousClock.Instant?) -> Bool {
    var waits = [
      pollfd(fd: socket, events: Int16(events), revents: 0), pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&waits, 2, deadline.map(Self.milliseconds) ?? -1)
    guard count > 0 else { return false }
    if waits[1].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(pipe.read, &bytes, bytes.count) == bytes.count {}
    }
    return waits[0].revents != 0
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    let (seconds, attoseconds) = (deadline - .now).components
    // Rounded up, or the last wait would spin.
    return Int32(clamping: max(0, seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1))
  }
}
#endif
