/// Does one thing after another, in the order in which they were asked for, on a thread that may wait for a disk.
///
/// `DispatchQueue` is one as well; its library takes longer to load, at each start of a program, than a store to open.
package final class SerialQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    /// Whether a thread has the queue: it works, or waits for work.
    var hasThread = false
    /// The thread that works.
    var runner: UInt?
  }

  private let state = Guarded(State())
  private let work = WakeUp()
  private let idleTime: UInt64

  /// - Parameter idleTime: How long a thread waits for more work before it ends, in nanoseconds.
  package init(idleTime: UInt64 = 1_000_000_000) { self.idleTime = idleTime }

  /// Returns at once.
  package func run(_ body: @escaping @Sendable () -> Void) {
    let mustStart = state.withLock { state in
      state.waiting.append(body)
      defer { state.hasThread = true }
      return !state.hasThread
    }
    if !mustStart { return work.wake() }
    // Without a thread to be had, the caller's does what there is.
    if !SystemThread.start({ self.serve(idleTime: self.idleTime) }) { serve(idleTime: 0) }
  }

  /// Traps where the caller is not run by this queue.
  package func checkIsCurrent() {
    let runner = state.withLock(\.runner)
    precondition(runner == SystemThread.current, "Called from outside the queue that this belongs to.")
  }

  private func serve(idleTime: UInt64) {
    var deadline: UInt64?
    while let bodies = take(endsIfEmpty: deadline.map { WakeUp.now() >= $0 } ?? false) {
      for body in bodies { body() }
      deadline = bodies.isEmpty ? deadline ?? WakeUp.now() + idleTime : nil
      if let deadline { work.wait(until: deadline) }
    }
  }

  /// What waits; nil where nothing does and the thread is let go.
  private func take(endsIfEmpty: Bool) -> [@Sendable () -> Void]? {
    state.withLock { state in
      let waiting = state.waiting
      state.waiting = []
      state.hasThread = !(endsIfEmpty && waiting.isEmpty)
      state.runner = waiting.isEmpty ? nil : SystemThread.current
      return state.hasThread ? waiting : nil
    }
  }
}
