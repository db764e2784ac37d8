/// Runs closures one at a time, in the order of submission, on a thread that may block.
///
/// Not a `DispatchQueue`: loading its library takes longer, at each start of a program, than opening a store.
package final class SerialQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    /// Whether a thread serves the queue, working or waiting for work.
    var hasThread = false
    /// Whether that thread waits for work, and nobody has woken it yet.
    var isIdle = false
    /// The thread that is running a closure.
    var runner: UInt?
  }

  private let state = Guarded(State())
  private let work = Semaphore()
  private let idleTime: UInt64

  /// - Parameter idleTime: How long an idle thread waits for work before it ends, in nanoseconds.
  package init(idleTime: UInt64 = 1_000_000_000) { self.idleTime = idleTime }

  /// Submits `body` and returns at once.
  package func run(_ body: @escaping @Sendable () -> Void) {
    let (mustStart, mustWake) = state.withLock { state in
      state.waiting.append(body)
      defer { (state.hasThread, state.isIdle) = (true, false) }
      return (!state.hasThread, state.isIdle)
    }
    if mustWake { work.signal() }
    guard mustStart else { return }
    // If no thread can be started, the caller's thread runs the waiting work.
    if !SystemThread.start({ self.serve(idleTime: self.idleTime) }) { serve(idleTime: 0) }
  }

  /// Traps unless called from a closure that this queue runs.
  package func checkIsCurrent() {
    let runner = state.withLock(\.runner)
    precondition(
      runner == SystemThread.current,
      "This code must run on a serial queue. For a `BackgroundContext`, call it in `perform`.")
  }

  private func serve(idleTime: UInt64) {
    var deadline: UInt64?
    while let bodies = take(endsIfEmpty: deadline.map { WakeUp.now() >= $0 } ?? false) {
      for body in bodies { body() }
      deadline = bodies.isEmpty ? deadline ?? WakeUp.now() + idleTime : nil
      if let deadline { work.wait(until: deadline) }
    }
  }

  /// The waiting closures; nil if there are none and the thread is to end.
  private func take(endsIfEmpty: Bool) -> [@Sendable () -> Void]? {
    state.withLock { state in
      let waiting = state.waiting
      state.waiting = []
      state.hasThread = !(endsIfEmpty && waiting.isEmpty)
      state.isIdle = state.hasThread && waiting.isEmpty
      state.runner = waiting.isEmpty ? nil : SystemThread.current
      return state.hasThread ? waiting : nil
    }
  }
}
