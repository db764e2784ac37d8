import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Runs resumable work of an open store in steps, on a thread that ends after the last step.
///
/// If the store is closed or released first, the next opening continues the work.
package final class BackgroundSteps: Sendable {
  /// A step of the work. Returns the wait before the next step in nanoseconds, or `nil` after the last step.
  typealias Step = (Store) throws(StoreError) -> UInt64?

  private struct State: Sendable {
    var failure: StoreError?
    var isRunning = false
    var isStopped = false
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Removes the waiting continuations. The caller resumes them.
    mutating func release() -> [CheckedContinuation<Void, Never>] {
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Guarded(State())
  private let clock = WakeUp()

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - what: The work, for the error that no thread could be started. For example "builds indexes".
  ///   - delay: The wait before the first step in nanoseconds, so that the program starts undisturbed.
  ///   - retry: The wait after a failed step in nanoseconds. If it is `nil`, a failure ends the thread, and the next
  ///     opening continues.
  ///   - steps: Makes the step. The thread calls it, so only the thread has the values that it captures.
  func start(
    _ what: String, in store: Store, after delay: UInt64 = 0, retryingAfter retry: UInt64? = nil,
    _ steps: @escaping @Sendable (Store) -> Step
  ) {
    state.withLock { $0.isRunning = true }
    let isStarted = SystemThread.start { [weak store, self] in
      if delay > 0 { clock.wait(until: WakeUp.now() + delay) }
      // The store owns this object, and the program may release the store without closing it.
      var step = store.map(steps)
      while let next = step, !isStopped {
        guard let pause = store.flatMap({ take(next, in: $0, retry) }) else { break }
        if pause > 0 { clock.wait(until: WakeUp.now() + pause) }
      }
      step = nil
      end()
    }
    if isStarted { return }
    let failure = StoreError.system(
      path: store.path, operation: "starting a thread that \(what)", code: 0,
      message: "the process has too many threads. End some of them, or raise its limit")
    state.withLock { $0.failure = failure }
    end()
  }

  /// Runs a step. If it fails, resumes the waiting callers.
  private func take(_ step: Step, in store: Store, _ retry: UInt64?) -> UInt64? {
    var failure: StoreError?
    var pause: UInt64?
    do throws(StoreError) {
      pause = try step(store)
    } catch {
      (failure, pause) = (error, retry)
    }
    let waiting = state.withLock { state in
      state.failure = failure
      return failure == nil ? [] : state.release()
    }
    for continuation in waiting { continuation.resume() }
    return pause
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  private func end() {
    let waiting = state.withLock { state in
      state.isRunning = false
      return state.release()
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when the thread has ended. Throws if the last step failed.
  package func wait() async throws(StoreError) {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isRunning { return true }
        state.waiting.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Ends the thread after the current step.
  func stop() async {
    state.withLock { $0.isStopped = true }
    clock.wake()
    while state.withLock({ $0.isRunning }) { try? await wait() }
  }
}
