#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The system's clock.
package enum WallClock {
  /// Microseconds since 1970-01-01 00:00 UTC.
  package static func microseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }
}

extension Duration {
  /// The duration in microseconds, clamped to the range from 0 to the greatest `Int64`.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = max(.zero, self).components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return overflow || isBeyond ? .max : sum
  }
}
