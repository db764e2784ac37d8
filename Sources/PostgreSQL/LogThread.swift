#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseSystem
import Synchronization

/// A thread that may block. Swift's pool has only one thread for each core.
final class LogThread: Sendable {
  private struct State {
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let interrupt: LogInterrupt
  private let state = Mutex(State())

  /// Starts a thread that runs `body`, until ``end()`` interrupts it. `nil` if the system refuses.
  init?(_ body: @escaping @Sendable (LogInterrupt) -> Void) {
    guard let interrupt = LogInterrupt() else { return nil }
    self.interrupt = interrupt
    let isStarted = SystemThread.start { [self] in
      body(interrupt)
      let waiters = state.withLock { state in
        state.hasEnded = true
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
    if !isStarted { return nil }
  }

  func wake() { interrupt.wake() }

  func end() { interrupt.end() }

  /// Waits until the thread has ended.
  func join() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}
#endif
