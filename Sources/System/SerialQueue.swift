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
  private let work = Signal()
  private let patience: UInt64

  /// - Parameter patience: How long a thread waits for more work before it ends, in nanoseconds.
  package init(patience: UInt64 = 1_000_000_000) { self.patience = patience }

  /// Returns at once.
  package func run(_ body: @escaping @Sendable () -> Void) {
    let mustStart = state.withLock { state in
      state.waiting.append(body)
      defer { state.hasThread = true }
      return !state.hasThread
    }
    if !mustStart { return work.give() }
    // Without a thread to be had, the caller's does what there is.
    if !SystemThread.start({ self.serve(patience: self.patience) }) { serve(patience: 0) }
  }

  /// Traps where the caller is not run by this queue.
  package func checkIsCurrent() {
    let runner = state.withLock(\.runner)
    precondition(runner == SystemThread.current, "Called from outside the queue that this belongs to.")
  }

  private func serve(patience: UInt64) {
    var deadline: UInt64?
    while let bodies = take(endsIfEmpty: deadline.map { Signal.now() >= $0 } ?? false) {
      for body in bodies { body() }
      deadline = bodies.isEmpty ? deadline ?? Signal.now() + patience : nil
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
