import RepriseSystem

/// Time and threads of one journal. Tests have one of their own, so that they wait for nothing.
package protocol JournalClock: AnyObject, Sendable {
  /// Nanoseconds that never step back.
  func now() -> UInt64
  /// Microseconds since 1970.
  func wallTime() -> UInt64
  /// Starts the journal's thread; false if the system has none to give.
  func start(_ body: @escaping @Sendable () -> Void) -> Bool
  /// Holds that thread until the deadline, for ever without one, or until ``wake()``, even if that came before.
  func wait(until deadline: UInt64?)
  func wake()
  /// Runs something beside the thread, once: a flush, which may take long while edits must still be written.
  func detach(_ body: @escaping @Sendable () -> Void)
}

package final class SystemJournalClock: JournalClock {
  private let work = WakeUp()

  package init() {}

  package func now() -> UInt64 { WakeUp.now() }

  package func wallTime() -> UInt64 { UInt64(max(0, WallClock.microseconds())) }

  package func wait(until deadline: UInt64?) { work.wait(until: deadline) }

  package func wake() { work.wake() }

  package func start(_ body: @escaping @Sendable () -> Void) -> Bool { SystemThread.start(body) }

  package func detach(_ body: @escaping @Sendable () -> Void) {
    if !SystemThread.start(body) { body() }
  }
}
