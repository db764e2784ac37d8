/// Something that is registered late, on its way.
@MainActor final class LateArrival {
  /// Within which time it is to come. `nil` for any.
  let limit: Duration?
  /// Whether the time is over.
  private(set) var isOverdue = false
  /// The progress from 0 to 1, as far as it was reported.
  var fraction: Double?
  private var tasks: [Task<Void, Never>] = []
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isOver = false

  init(limit: Duration?) { self.limit = limit }

  /// - Parameters:
  /// - sleep: Waits by any clock.
  ///   - bring: Brings it, and calls ``end()``.
  ///   - overdue: Called if it has not come in time. It may still come.
  func begin(
    _ sleep: @escaping @Sendable (Duration) async throws -> Void, bring: @escaping @MainActor () async -> Void,
    overdue: @escaping @MainActor () -> Void
  ) {
    tasks.append(Task { await bring() })
    guard let limit else { return }
    tasks.append(
      Task { [weak self] in
        guard (try? await sleep(limit)) != nil, let self, !isOver else { return }
        isOverdue = true
        overdue()
        resume()
      })
  }

  /// Returns when it has arrived, has failed, was abandoned, or is overdue.
  func waitUntilSettled() async {
    if isOver || isOverdue { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// It has come or failed.
  func end() {
    isOver = true
    // The first task is delivering the value, and goes on.
    for task in tasks.dropFirst() { task.cancel() }
    resume()
  }

  /// Nobody wants it any more.
  func cancel() {
    for task in tasks { task.cancel() }
    end()
  }

  private func resume() {
    let resumed = waiting
    waiting = []
    for waiter in resumed { waiter.resume() }
  }
}
