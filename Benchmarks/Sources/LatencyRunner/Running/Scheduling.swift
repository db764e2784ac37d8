#if canImport(Glibc)
import Glibc
#endif

/// Real-time scheduling, which the workers inherit. Under ordinary scheduling beside busy neighbours every wait for the
/// disk is rounded up to the scheduler's next tick (4 ms), and the figures of saves are those of the tick. It is what
/// `chrt -r 1` sets, without the start of one more program in every sample.
enum Scheduling {
  /// Whether it was granted; for the time of the body.
  static func realTime<Result>(_ body: (_ granted: Bool) throws -> Result) rethrows -> Result {
    #if os(Linux)
    var parameters = sched_param(sched_priority: 1)
    let granted = sched_setscheduler(0, SCHED_RR, &parameters) == 0
    defer {
      if granted {
        parameters.sched_priority = 0
        sched_setscheduler(0, SCHED_OTHER, &parameters)
      }
    }
    return try body(granted)
    #else
    return try body(false)
    #endif
  }

  static var isGranted: Bool { realTime { $0 } }

  static var note: String {
    isGranted
      ? "real-time scheduling (SCHED_RR)"
      : "ordinary scheduling: real-time was not allowed, so figures of saves may be those of the scheduler's tick"
  }
}
