import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How a process of the storm speaks: all of them into one pipe, each line with the speaker's number before it.
///
/// A line of less than 4,096 bytes is in the pipe whole or not at all, and in the order in which it was said among all
/// processes. See Ledger in Tests/CrashTests for the words.
struct Voice: Sendable {
  let number: Int
  /// Whether the journal holds back what is made, as a turn is under way.
  let held = Held()

  func callAsFunction(_ line: String) { say("\(number) \(line)".prefix(4_000).description) }

  func problem(_ text: String) { self("problem " + text.replacing("\n", with: " | ")) }

  /// Says `beat` for ever, 25 ms of sleep and a write to the disk after the last one, but not within a turn, and how
  /// many milliseconds that took. So many beats after something was made, the journal's thread, which needs no more
  /// than that, has had the time to write it as well.
  func beginBeating(_ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Disk.Failure(operation: "open", path: path, code: errno) }
    let isBeating = SystemThread.start {
      var last = WakeUp.now()
      while true {
        usleep(25_000)
        _ = write(descriptor, ".", 1)
        let now = WakeUp.now()
        if !held.isSo { self("beat \((now - last) / 1_000_000)") }
        last = now
      }
    }
    if !isBeating { throw Disk.Failure(operation: "begin a thread for", path: path, code: EAGAIN) }
  }
}

/// Whether something is held back: nothing is until somebody says how to find out.
final class Held: Sendable {
  private let find = Guarded<(@Sendable () -> Bool)?>(nil)

  var isSo: Bool { find.withLock { $0 }?() ?? false }

  func find(_ find: @escaping @Sendable () -> Bool) { self.find.withLock { $0 = find } }
}
