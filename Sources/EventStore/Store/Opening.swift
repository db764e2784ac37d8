import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The opening, on a separate thread, of a store that the program already has.
final class Opening: Sendable {
  private struct State: Sendable {
    var isRunning = false
    /// Whether scenes can be restored before the opening ends.
    var hasScenes = false
    var failure: StoreError?
    var nextWaiter = 0
    var waiting: [Waiter] = []
  }

  private struct Waiter: Sendable {
    let number: Int
    let isForScenes: Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private let models: ResolvedSchema?
  private let options: StoreOptions
  private let state: Guarded<State>

  /// - failure: The reason why the opening has already failed. Only then may `models` be `nil`.
  init(_ models: ResolvedSchema?, _ options: StoreOptions, failed failure: StoreError? = nil) {
    self.models = models
    self.options = options
    state = Guarded(State(failure: failure))
  }

  /// The reason of the last failure. `nil` while the opening is under way.
  var failure: StoreError? { state.withLock { $0.failure } }

  /// Starts the thread, unless it runs, or would only fail in the same way.
  func start(_ store: Store) {
    guard let models else { return }
    let hasScenes = store.scenes.areReady
    let isRunning = state.withLock { state in
      if state.isRunning { return true }
      (state.isRunning, state.failure, state.hasScenes) = (true, nil, hasScenes)
      return false
    }
    if isRunning { return }
    let options = options
    let isStarted = SystemThread.start { [self] in
      var failure: StoreError?
      do throws(StoreError) {
        try StoreRegistry.open(store, models, options)
      } catch {
        failure = error
      }
      end(failure)
      if failure != nil { store.headMoved() }
    }
    if isStarted { return }
    end(
      .system(
        path: store.path, operation: "starting a thread that opens the store", code: 0,
        message: "the process has too many threads. End some of them, or raise its limit"))
  }

  private func end(_ failure: StoreError?) {
    let waiting = state.withLock { state in
      (state.isRunning, state.failure) = (false, failure)
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.continuation.resume() }
  }

  /// Returns when the opening has ended, or the task is cancelled.
  func waitUnlessCancelled() async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          // The handler may have run already.
          if !state.isRunning || Task.isCancelled { return true }
          state.waiting.append(Waiter(number: number, isForScenes: false, continuation: continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
  }

  /// Returns when the opening has ended.
  ///
  /// - Parameter forScenes: Whether to return as soon as scenes can be restored.
  func wait(forScenes: Bool = false) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isRunning || forScenes && state.hasScenes { return true }
        state.waiting.append(Waiter(number: 0, isForScenes: forScenes, continuation: continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// Scenes can be restored from now on. A scene that has begun continues even if the opening fails.
  func scenesAreThere() {
    let waiting = state.withLock { state in
      state.hasScenes = true
      defer { state.waiting.removeAll(where: \.isForScenes) }
      return state.waiting.filter(\.isForScenes)
    }
    for waiter in waiting { waiter.continuation.resume() }
  }

  /// Ends the opening as soon as possible. The finished part of a migration remains.
  func cancel() { options.run?.cancel() }
}
