/// Does a piece of work once for all who ask for it meanwhile, for implementing ``RefreshableSource/refresh()`` and
/// ``PagedSource/loadMore()``; named after the Go package.
///
/// Like the source that has it, it belongs to one isolation.
public final class SingleFlight {
  private enum Outcome: Sendable {
    case done
    case failed(any Error)
    /// The task that did the work was cancelled.
    case abandoned
  }

  /// Whether the work is being done.
  public private(set) var isRunning = false
  private var waiting: [AsyncStream<Outcome>.Continuation] = []

  /// No work yet.
  public init() {}

  /// Does the work, or waits for the call that is doing it already, and returns or throws as that does.
  ///
  /// The work runs in the task of the call that began it. If that task is cancelled, one of those that wait does the
  /// work instead; a call whose own task is cancelled stops waiting. The work must not call this itself: it would wait
  /// for itself.
  ///
  /// - Throws: What the work throws; `CancellationError` if this call's task was cancelled.
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
    // The stream ends by itself only where the task that waits is cancelled.
    return .abandoned
  }

  private func finish(_ outcome: Outcome) {
    isRunning = false
    let waiting = waiting
    self.waiting = []
    for continuation in waiting { continuation.yield(outcome) }
  }
}
