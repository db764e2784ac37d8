/// Runs work once for all callers that ask for it at the same time, like the Go package of that name.
///
/// Use it to implement ``RefreshableSource/refresh()`` and ``PagedSource/loadMore()``. Like the source that owns it, it
/// belongs to one isolation.
public final class SingleFlight {
  private enum Outcome: Sendable {
    case done
    case failed(any Error)
    /// The task that did the work was cancelled.
    case abandoned
  }

  /// Whether the work is running.
  public private(set) var isRunning = false
  private var waiting: [AsyncStream<Outcome>.Continuation] = []

  /// Makes an instance whose work is not running.
  public init() {}

  /// Runs the work, or waits for the call that is already running it, and returns or throws as that call does.
  ///
  /// The work runs in the task of the call that began it. If that task is cancelled, one of the waiting calls runs the
  /// work instead. If a waiting call's own task is cancelled, that call stops waiting. The work must not call this
  /// method, because it would wait for itself.
  ///
  /// - Throws: The error of the work. `CancellationError` if this call's task was cancelled.
  nonisolated(nonsending) public func run(_ work: nonisolated(nonsending) () async throws -> Void) async throws {
    try Task.checkCancellation()
    while isRunning {
      switch await outcome() {
      case .done: return
      case .failed(let error): throw error
      case .abandoned: try Task.checkCancellation()
      }
    }
    isRunning = true
    do {
      try await work()
      finish(.done)
    } catch {
      finish(Task.isCancelled ? .abandoned : .failed(error))
      throw error
    }
  }

  nonisolated(nonsending) private func outcome() async -> Outcome {
    let (outcomes, continuation) = AsyncStream<Outcome>.makeStream()
    waiting.append(continuation)
    for await outcome in outcomes { return outcome }
    // The stream ends without an element only if the waiting task is cancelled.
    return .abandoned
  }

  private func finish(_ outcome: Outcome) {
    isRunning = false
    let waiting = waiting
    self.waiting = []
    for continuation in waiting { continuation.yield(outcome) }
  }
}
