import RepriseLMDB
import RepriseSystem
import RepriseObjectModel

/// The one place that appends to the log: a queue of saves, and a serial executor that commits what is waiting as a
/// group.
///
/// Saves that arrive while a commit is flushed share the next one, and so its flushes. Each is checked on its own,
/// against the head and the saves of its group before it, before its first write.
final class LogWriter: Sendable {
  private struct Waiting: Sendable {
    let request: SaveRequest
    let continuation: CheckedContinuation<Result<Position, SaveError>, Never>
  }

  private struct Queue {
    var waiting: [Waiting] = []
    var isRunning = false
    var isClosed = false
  }

  private let queue = Guarded(Queue())
  private let executor = SerialQueue()

  /// Appends a transaction. Returns when it is in the log, and as durable as the store promises.
  nonisolated(nonsending)
    func save(_ request: SaveRequest, in store: Store) async -> Result<Position, SaveError>
  {
    // The queue's threads stayed behind in the parent: nobody would ever answer.
    if store.environment.isForked { return .failure(.store(.forked(path: store.path))) }
    return await withCheckedContinuation { continuation in
      let (isClosed, mustStart) = queue.withLock { queue in
        if queue.isClosed { return (true, false) }
        queue.waiting.append(Waiting(request: request, continuation: continuation))
        defer { queue.isRunning = true }
        return (false, !queue.isRunning)
      }
      if isClosed { return continuation.resume(returning: .failure(.closed)) }
      if mustStart { executor.run { self.run(store) } }
    }
  }

  /// Runs `body` where saves are written, after those that wait now.
  nonisolated(nonsending)
    func perform<Success: Sendable>(
      in store: Store, _ body: @escaping @Sendable () throws(StoreError) -> Success
    ) async throws(StoreError) -> Success
  {
    if store.environment.isForked { throw .forked(path: store.path) }
    let result = await withCheckedContinuation { continuation in
      executor.run { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }

  /// Takes no more saves; returns when those that were accepted are done.
  func close() async {
    queue.withLock { $0.isClosed = true }
    await withCheckedContinuation { continuation in executor.run { continuation.resume() } }
  }

  /// After ``close()``: takes saves again.
  func reopen() { queue.withLock { $0.isClosed = false } }

  private func run(_ store: Store) {
    while true {
      var group = queue.withLock { queue in
        let group = queue.waiting
        queue.waiting = []
        queue.isRunning = !group.isEmpty
        return group
      }
      if group.isEmpty { return }
      let results = commit(&group, in: store)
      for (waiting, result) in zip(group, results) { waiting.continuation.resume(returning: result) }
      store.headMoved()
      store.checkpointJournalIfNeeded()
    }
  }

  /// Commits a group, and the small saves that arrive until it is flushed: those join it.
  private func commit(_ group: inout [Waiting], in store: Store) -> [Result<Position, SaveError>] {
    var requests = group.map(\.request)
    // Where the journal cannot be flushed, `store.draftFailure` says so, and a save must not depend on it. What
    // somebody types just now stays together: this runs beside their turn.
    if requests.contains(where: { $0.drafts.contains(where: \.isResumed) }) {
      try? store.journal.flush(cutsTurns: false)
    }
    do throws(SaveFailure) {
      return try store.append(&requests) {
        let late = takeLate()
        group += late
        return late.map(\.request)
      }
    } catch {
      // What broke a group may be one save's doing: the rest must not pay for it.
      let mayRepeat = requests.count > 1 && !error.isOutcomeUnknown
      return requests.map { mayRepeat ? commit($0, in: store) : .failure(error.saveError(of: $0)) }
    }
  }

  private func commit(_ request: SaveRequest, in store: Store) -> Result<Position, SaveError> {
    var requests = [request]
    do throws(SaveFailure) {
      return try store.append(&requests) { [] }[0]
    } catch {
      return .failure(error.saveError(of: request))
    }
  }

  /// Most changes of a save that others wait for though they came first.
  private static let small = 100

  private func takeLate() -> [Waiting] {
    queue.withLock { queue in
      let late = queue.waiting.prefix { $0.request.drafts.isEmpty && $0.request.changes.count <= Self.small }
      queue.waiting.removeFirst(late.count)
      return Array(late)
    }
  }
}
