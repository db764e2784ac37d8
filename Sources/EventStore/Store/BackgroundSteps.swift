import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Resumable work of an open store, step by step, on a thread of its own, which ends with the last one.
///
/// What is left when the store is closed or given up, the next opening goes on with.
package final class BackgroundSteps: Sendable {
  /// How long to wait before the next step, in nanoseconds; `nil` after the last one.
  typealias Step = (Store) throws(StoreError) -> UInt64?

  private struct State: Sendable {
    var failure: StoreError?
    var isRunning = false
    var isStopped = false
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Those who wait, to be resumed.
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
  ///   - what: What the thread does, for the error that there is none: "builds indexes".
  ///   - delay: In nanoseconds, so that the program starts undisturbed.
  ///   - retry: How long to wait after a failure, as of a full disk; without it the next opening goes on.
  ///   - steps: Makes the step, on the thread: what it captures is the thread's own.
  func start(
    _ what: String, in store: Store, after delay: UInt64 = 0, retryingAfter retry: UInt64? = nil,
    _ steps: @escaping @Sendable (Store) -> Step
  ) {
    state.withLock { $0.isRunning = true }
    let isStarted = SystemThread.start { [weak store, self] in
      if delay > 0 { clock.wait(until: WakeUp.now() + delay) }
      // The store, which holds this, may be given up without being closed.
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
      path: store.path, operation: "starting a thread that \(what)", code: 0, message: "there are too many")
    state.withLock { $0.failure = failure }
    end()
  }

  /// Takes a step, and tells those who wait if it failed.
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

  /// Returns when the thread has ended, or the last step has failed.
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

  /// Ends the thread, after the step that is under way.
  func stop() async {
    state.withLock { $0.isStopped = true }
    clock.wake()
    while state.withLock({ $0.isRunning }) { try? await wait() }
  }
}
