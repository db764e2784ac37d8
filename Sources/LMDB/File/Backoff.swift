#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Exponential backoff with a limit. The awaited events happen a few times in a file's life. Without a limit, a bug
/// elsewhere would become a hang.
struct Backoff {
  private var leftMicroseconds: Int
  private var nap: Int = 20

  init(milliseconds: Int) {
    leftMicroseconds = milliseconds * 1000
  }

  /// Sleeps. False once the time is used up.
  mutating func wait() -> Bool {
    if leftMicroseconds <= 0 { return false }
    usleep(UInt32(nap))
    leftMicroseconds -= nap
    nap = min(nap * 2, 1000)
    return true
  }
}
