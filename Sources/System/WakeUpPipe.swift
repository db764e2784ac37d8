#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A named pipe through which other processes of the same user wake this one. It costs one waiting thread.
package final class WakeUpPipe: Sendable {
  private let path: String
  private let descriptor: Int32

  private static let (stop, wakeUp): (UInt8, UInt8) = (0, 1)

  /// Calls `body` on a separate thread for each wake-up, until ``end()``. `nil` if no pipe can be made.
  package init?(_ path: String, _ body: @escaping @Sendable () -> Void) {
    // If a killed process left a pipe, this one uses it again.
    _ = mkfifo(path, 0o600)
    // Opened for reading and writing, so that a read waits even if no other process has the pipe open.
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    guard Self.isOwnPipe(descriptor), SystemThread.start({ Self.listen(descriptor, body) }) else {
      close(descriptor)
      return nil
    }
    self.path = path
    self.descriptor = descriptor
  }

  /// Removes the pipe, and ends the thread.
  package func end() {
    unlink(path)
    var byte = Self.stop
    _ = write(descriptor, &byte, 1)
  }

  /// Wakes the process that waits at the pipe with this path. False if no process does.
  package static func wake(_ path: String) -> Bool {
    let pipe = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard pipe >= 0 else { return false }
    defer { close(pipe) }
    guard isOwnPipe(pipe) else { return false }
    // This process also opens the pipe for reading. If the other reader dies now, a write then does not raise SIGPIPE.
    let guardian = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard guardian >= 0 else { return false }
    defer { close(guardian) }
    var byte = wakeUp
    return write(pipe, &byte, 1) == 1
  }

  private static func listen(_ descriptor: Int32, _ body: @Sendable () -> Void) {
    var byte: UInt8 = 0
    while true {
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1, byte == wakeUp else { break }
      body()
    }
    close(descriptor)
  }

  private static func isOwnPipe(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO && status.st_uid == geteuid()
  }
}
