import RepriseSystem

/// The time and threads of one journal. Tests replace it, so that they need not wait.
package protocol JournalClock: AnyObject, Sendable {
  /// Monotonic time in nanoseconds.
  func now() -> UInt64
  /// Microseconds since 1970.
  func wallTime() -> UInt64
  /// Starts the journal's thread. False if the system cannot create one.
  func start(_ body: @escaping @Sendable () -> Void) -> Bool
  /// Runs `body` soon, but not while the program starts: when the main actor has ended its turn.
  func afterTurn(_ body: @escaping @Sendable () -> Void)
  /// Blocks that thread until the deadline, if there is one, or until ``wake()``, even if that was called earlier.
  func wait(until deadline: UInt64?)
  func wake()
  /// Runs `body` once on another thread: a flush may take long, and edits must still be written meanwhile.
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

  package func afterTurn(_ body: @escaping @Sendable () -> Void) {
    Task { @MainActor in body() }
  }

  package func detach(_ body: @escaping @Sendable () -> Void) {
    if !SystemThread.start(body) { body() }
  }
}
