#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The clock whose stamps the processes of one machine share.
enum Clock {
  static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
