import RepriseObjectGraph

/// The arrival of an object that is registered late.
final class LateArrival {
  /// The time limit for the arrival. `nil` for none.
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
  ///   - sleep: Waits by any clock.
  ///   - bring: Brings the object, and calls ``end()``.
  ///   - overdue: Called if the object has not arrived in time. The object may still arrive.
  func begin(
    on isolation: any Actor, _ sleep: @escaping @Sendable (Duration) async throws -> Void,
    bring: nonisolated(nonsending) @escaping () async -> Void, overdue: @escaping () -> Void
  ) {
    tasks.append(ContextTurn.task(on: isolation, bring))
    guard let limit else { return }
    weak var arrival = self
    tasks.append(
      ContextTurn.task(on: isolation) {
        guard (try? await sleep(limit)) != nil, let arrival, !arrival.isOver else { return }
        arrival.isOverdue = true
        overdue()
        arrival.resume()
      })
  }

  /// Returns when the object has arrived, has failed, was abandoned, or is overdue.
  nonisolated(nonsending) func waitUntilSettled() async {
    if isOver || isOverdue { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Ends the wait, because the object has arrived or failed.
  func end() {
    isOver = true
    // The first task is delivering the value, and goes on.
    for task in tasks.dropFirst() { task.cancel() }
    resume()
  }

  /// Abandons the arrival, because no node needs the object any more.
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
