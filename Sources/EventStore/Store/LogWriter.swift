import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem
import Synchronization

/// The single writer of this process's saves: a queue, and a serial executor that commits all waiting saves as a group.
///
/// Saves that arrive while a commit is being flushed share the next commit and its flushes. Each save is checked on its
/// own before its first write, against the head and the earlier saves of its group.
package final class LogWriter: Sendable {
  struct Waiting: Sendable {
    let request: SaveRequest
    let task: SavingTask
    let continuation: CheckedContinuation<Result<AppendedSave, AppendRefusal>, Never>
  }

  // Not a tuple, whose type takes 30 us to instantiate at each start.
  struct LastCommit: Sendable {
    var transactionID: Int
    var head: LogHead
  }

  /// The task that waits for a save.
  final class SavingTask: Sendable {
    private let isEnded = Atomic<Bool>(false)
    var isCancelled: Bool { isEnded.load(ordering: .relaxed) }
    func cancel() { isEnded.store(true, ordering: .relaxed) }
  }

  struct Queue {
    var waiting: [Waiting] = []
    var isRunning = false
    var isClosed = false
    var turns = WriteTurns()
  }

  let queue = Guarded(Queue())
  /// The state after this process's last commit. It is still current if the next LMDB transaction ID follows it
  /// directly, because then no other process has written in between.
  let lastCommit = Guarded<LastCommit?>(nil)
  private let executor = SerialQueue()

  /// Appends a transaction. Returns when it is in the log, as durable as the store promises. If the task is cancelled
  /// while the save waits for another process, it returns `cancelled`.
  ///
  /// - Parameter isolation: The caller's isolation, which determines the order in the queue: saves of one actor are
  ///   committed in the order of their calls.
  func save(
    _ request: SaveRequest, in store: Store, isolation: isolated (any Actor)? = #isolation
  ) async -> Result<AppendedSave, AppendRefusal> {
    // A forked child lacks the executor's threads: the save would never complete.
    if store.environment.isForked { return .failure(.error(.store(.forked(path: store.path)))) }
    let task = SavingTask()
    return await withTaskCancellationHandler {
      // Captured, or this closure would leave the isolation, and saves could overtake each other.
      await withCheckedContinuation(isolation: isolation) { continuation in
        let (isClosed, mustStart) = queue.withLock { queue in
          if queue.isClosed { return (true, false) }
          queue.waiting.append(Waiting(request: request, task: task, continuation: continuation))
          defer { queue.isRunning = true }
          return (false, !queue.isRunning)
        }
        if isClosed { return continuation.resume(returning: .failure(.error(.store(.closed(path: store.path))))) }
        if mustStart { executor.run { self.run(store) } }
      }
    } onCancel: {
      task.cancel()
    }
  }

  /// Runs `body` on the writer's executor, after the saves waiting now.
  nonisolated(nonsending)
    package func perform<Success: Sendable>(
      in store: Store, _ body: @escaping @Sendable () throws(StoreError) -> Success
    ) async throws(StoreError) -> Success
  {
    if store.environment.isForked { throw .forked(path: store.path) }
    let result = await withCheckedContinuation { continuation in
      executor.run { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }

  /// Refuses further saves. Returns when the accepted ones are done.
  func close() async {
    queue.withLock { $0.isClosed = true }
    await withCheckedContinuation { continuation in executor.run { continuation.resume() } }
  }

  /// Accepts saves again after ``close()``.
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
      let continuations = group.map(\.continuation)
      // Freed first, so that a caller that continues finds the memory of its last changes free.
      group = []
      for (continuation, result) in zip(continuations, results) { continuation.resume(returning: result) }
      store.headMoved()
      store.journals.checkpointIfNeeded()
    }
  }

  /// Commits a group, joined by the small saves that arrive before it is flushed.
  private func commit(_ group: inout [Waiting], in store: Store) -> [Result<AppendedSave, AppendRefusal>] {
    var requests = group.map(\.request)
    // A save must not depend on the journal: `store.drafts.failure` reports a failed flush. Open turns run concurrently
    // with this and are not cut, so that their entries stay together.
    if requests.contains(where: { $0.drafts.contains(where: \.isResumed) }) {
      try? store.journal.flush(cutsTurns: false)
    }
    do throws(SaveFailure) {
      return try append(&requests, to: store) { waited, requests in
        waited >= Self.grace && endCancelled(&group, &requests)
      } joinedBy: {
        let late = takeLate()
        group += late
        return late.map(\.request)
      }
    } catch {
      // A single save may have failed the whole group, so each is retried alone.
      let mayRepeat = requests.count > 1 && !error.isOutcomeUnknown && !error.isOfOthers
      return requests.map { mayRepeat ? commit($0, in: store) : .failure(.error(error.saveError(of: $0))) }
    }
  }

  private func commit(_ request: SaveRequest, in store: Store) -> Result<AppendedSave, AppendRefusal> {
    var requests = [request]
    do throws(SaveFailure) {
      return try append(&requests, to: store) { [] }[0]
    } catch {
      return .failure(.error(error.saveError(of: request)))
    }
  }

  /// How many milliseconds a save of a cancelled task waits for another process. A task that saves because it was
  /// cancelled must not lose its save to a short wait.
  private static let grace = 1000

  /// Ends the saves of cancelled tasks, in the group and in the queue. Returns true if the group is empty then.
  private func endCancelled(_ group: inout [Waiting], _ requests: inout [SaveRequest]) -> Bool {
    var ended = queue.withLock { queue in
      let ended = queue.waiting.filter(\.task.isCancelled)
      queue.waiting.removeAll(where: \.task.isCancelled)
      return ended
    }
    for place in group.indices.reversed() where group[place].task.isCancelled {
      ended.append(group.remove(at: place))
      requests.remove(at: place)
    }
    for waiting in ended { waiting.continuation.resume(returning: .failure(.cancelled)) }
    return group.isEmpty
  }

  /// The most changes that a late joiner may have, because earlier saves wait for it.
  private static let small = 100

  private func takeLate() -> [Waiting] {
    queue.withLock { queue in
      let late = queue.waiting.prefix { $0.request.drafts.isEmpty && $0.request.changes.count <= Self.small }
      queue.waiting.removeFirst(late.count)
      return Array(late)
    }
  }
}

extension Store {
  /// Appends a transaction to the log. See ``SaveRequest``. Saves of one isolation domain are appended in the order of
  /// their calls.
  nonisolated(nonsending)
    package func save(_ request: SaveRequest) async -> Result<AppendedSave, AppendRefusal>
  { await writer.save(request, in: self) }
}
