import RepriseObjectModel
import RepriseSystem

/// The building of indexes while the store is open, on a thread of its own, which ends with the last index.
final class BackgroundIndexing: Sendable {
  private struct State: Sendable {
    var targets: [UnbuiltIndex] = []
    var progress = 0.0
    var failure: StoreError?
    var isRunning = false
    var isStopped = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Guarded(State())
  private let clock = WakeUp()
  /// After a failure, as of a full disk.
  private static let retry: UInt64 = 5_000_000_000

  /// What is left, and how much of the first is done.
  var left: (targets: [UnbuiltIndex], progress: Double) { state.withLock { ($0.targets, $0.progress) } }

  func start(_ targets: [UnbuiltIndex], of store: Store, _ options: IndexingOptions) {
    state.withLock { state in
      state.targets = targets
      state.isRunning = true
    }
    let isStarted = SystemThread.start { [weak store, self] in
      // The store, which holds this, may be given up without being closed.
      let builds = store.map {
        IndexBuilds(targets, $0.path, $0.environment, $0.tables, logID: $0.logID, options)
      }
      while let builds, !isStopped {
        guard let isDone = store.map({ step(builds, in: $0) }), !isDone else { break }
        let pause = state.withLock { $0.failure == nil ? builds.pause : Self.retry }
        if pause > 0 { clock.wait(until: WakeUp.now() + pause) }
      }
      end()
    }
    if isStarted { return }
    // The next opening builds them.
    let failure = StoreError.system(
      path: store.path, operation: "starting a thread that builds indexes", code: 0, message: "there are too many")
    state.withLock { $0.failure = failure }
    end()
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Takes a step; true if it was the last.
  private func step(_ builds: IndexBuilds, in store: Store) -> Bool {
    let before = builds.left.targets.count
    var failure: StoreError?
    var isDone = false
    do throws(StoreError) {
      isDone = try builds.step()
      // The program is to know at once, and who looks at the list of them later.
      if builds.left.targets.count < before { _ = try store.refreshedHead() }
    } catch {
      failure = error
    }
    let left = builds.left
    let waiting = state.withLock { state in
      (state.targets, state.progress, state.failure) = (left.targets, left.progress, failure)
      defer { if failure != nil { state.waiting = [] } }
      return failure != nil ? state.waiting : []
    }
    for continuation in waiting { continuation.resume() }
    return isDone
  }

  private func end() {
    let waiting = state.withLock { state in
      state.isRunning = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when the thread has ended, or the last step has failed.
  func wait() async throws(StoreError) {
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
