import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem
import Synchronization

/// The single writer of this process's saves. One thread at a time leads: it commits all waiting saves as a group.
///
/// The leader is the writer's own thread, or a caller that may block and finds nobody writing. Saves that arrive during
/// a commit share the next commit and its flushes. Each save is checked before its first write,
/// against the head and the earlier saves of its group.
package final class LogWriter: Sendable {
  struct Queue {
    var saves: [WaitingSave] = []
    /// The work to run after the saves that were in the queue before it.
    var works: [@Sendable () -> Void] = []
    /// Whether a thread leads.
    var isWriting = false
    /// Whether the last saves came together. Then the next ones probably do, and a caller that committed its save alone
    /// would keep them from sharing one commit.
    var isGrouped = false
    /// Whether the last commit had no room for all its saves.
    var hasRest = false
    var isClosed = false
    var turns = WriteTurns()
  }

  let queue = Guarded(Queue())
  /// The state after this process's last commit. It is still current if the next LMDB transaction ID follows it
  /// directly, because then no other process has written in between.
  let lastCommit = Guarded<LastCommit?>(nil)
  private let thread = SerialQueue()

  /// Appends a transaction. Returns when it is in the log, as durable as the store promises. If the task is cancelled
  /// while the save waits for another process, it returns `cancelled`.
  ///
  /// - Parameters:
  ///   - mayBlock: Whether the caller's thread may wait for the disk. Then it commits the save if nobody else writes.
  ///   - isolation: The caller's isolation, which determines the order in the queue: saves of one actor are committed
  ///     in the order of their calls.
  func save(
    _ request: SaveRequest, in store: Store, mayBlock: Bool, isolation: isolated (any Actor)? = #isolation
  ) async -> Result<AppendedSave, AppendRefusal> {
    // A forked child lacks the writer's thread: the save would never complete.
    if store.environment.isForked { return .failure(.error(.store(.forked(path: store.path)))) }
    // A shared log would block the caller's thread for much longer than the disk.
    if mayBlock, store.files.sharing == nil, let result = commitAtOnce(request, in: store, waits: false) {
      return result
    }
    let save = WaitingSave(request, in: store)
    return await withTaskCancellationHandler {
      // The capture keeps this closure in the isolation. Otherwise saves could overtake each other.
      _ = isolation
      return await save.outcome()
    } onCancel: {
      save.cancel()
    }
  }

  /// Appends a transaction, and blocks the thread until it is in the log, as durable as the store promises.
  func saveAndWait(_ request: SaveRequest, in store: Store) -> Result<AppendedSave, AppendRefusal> {
    if store.environment.isForked { return .failure(.error(.store(.forked(path: store.path)))) }
    return commitAtOnce(request, in: store, waits: true)
      ?? WaitingSave(request, in: store, WakeUp()).blockingOutcome()
  }

  /// Runs `body` on the writer's thread, after the saves waiting now.
  nonisolated(nonsending)
    package func perform<Success: Sendable>(
      in store: Store, _ body: @escaping @Sendable () throws(StoreError) -> Success
    ) async throws(StoreError) -> Success
  {
    if store.environment.isForked { throw .forked(path: store.path) }
    let result = await withCheckedContinuation { continuation in
      run(in: store) { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }

  /// Refuses further saves. Returns when the accepted ones are done.
  func close(_ store: Store) async {
    queue.withLock { $0.isClosed = true }
    await withCheckedContinuation { continuation in run(in: store) { continuation.resume() } }
  }

  /// Whether a thread leads, and the number of saves that wait for it.
  package var load: (isWriting: Bool, waiting: Int) { queue.withLock { ($0.isWriting, $0.saves.count) } }

  /// Accepts saves again after ``close(_:)``.
  func reopen() { queue.withLock { $0.isClosed = false } }

  // MARK: The leader

  /// Adds a save to the queue.
  func add(_ save: WaitingSave, in store: Store) {
    let (isClosed, mustStart) = queue.withLock { queue in
      if queue.isClosed { return (true, false) }
      queue.saves.append(save)
      return (false, queue.takeLead())
    }
    if isClosed { return save.end(.failure(.error(.store(.closed(path: store.path))))) }
    if mustStart { thread.run { self.serve(store) } }
  }

  private func run(in store: Store, _ work: @escaping @Sendable () -> Void) {
    let mustStart = queue.withLock { queue in
      queue.works.append(work)
      return queue.takeLead()
    }
    if mustStart { thread.run { self.serve(store) } }
  }

  /// Writes until nothing waits. Called by the leader.
  private func serve(_ store: Store) {
    while true {
      let (saves, works) = queue.withLock { queue in
        defer { (queue.saves, queue.works) = ([], []) }
        queue.isWriting = queue.hasWork
        queue.hasRest = false
        return (queue.saves, queue.works)
      }
      if saves.isEmpty && works.isEmpty { return }
      if !saves.isEmpty, let observers = commit(saves, in: store, waits: true) { announce(store, except: observers) }
      let mustWait = queue.withLock { queue in
        if queue.hasRest { queue.works.insert(contentsOf: works, at: 0) }
        return queue.hasRest
      }
      if mustWait { continue }
      for work in works { work() }
    }
  }

  /// Commits a save on the caller's thread. `nil` if somebody else writes, or, unless it `waits`, another process does.
  private func commitAtOnce(
    _ request: SaveRequest, in store: Store, waits: Bool
  ) -> Result<AppendedSave, AppendRefusal>? {
    guard queue.withLock({ queue in !queue.isClosed && !queue.isGrouped && queue.takeLead() }) else { return nil }
    let save = WaitingSave(request, in: store)
    let observers = commit([save], in: store, waits: waits)
    let mustStart = queue.withLock { queue in
      queue.isWriting = queue.hasWork
      return queue.isWriting
    }
    if mustStart { thread.run { self.serve(store) } }
    guard let observers else { return nil }
    announce(store, except: observers)
    return save.result
  }

  // MARK: Commits

  /// Commits a group, joined by the small saves that arrive before it is flushed, and ends its saves.
  ///
  /// - Returns: The observers of the contexts that saved. `nil` if the commit would wait for another writer, and must
  ///   not.
  private func commit(_ saves: [WaitingSave], in store: Store, waits: Bool) -> [Int]? {
    var group = saves
    var requests = group.compactMap(\.request)
    // A save must not depend on the journal: `store.drafts.failure` reports a failed flush. Open turns run concurrently
    // with this and are not cut, so that their entries stay together.
    if requests.contains(where: { $0.drafts.contains(where: \.isResumed) }) {
      try? store.journal.flush(cutsTurns: false)
    }
    let results: [Result<AppendedSave, AppendRefusal>]
    do throws(SaveFailure) {
      results = try append(&requests, to: store) { waited, requests in
        !waits || waited >= Self.grace && endCancelled(&group, &requests)
      } joinedBy: {
        let late = takeLate()
        group += late
        return late.compactMap(\.request)
      }
    } catch {
      if !waits, case .storage(.cancelled) = error {
        queue.withLock { $0.saves.insert(contentsOf: group[saves.count...], at: 0) }
        return nil
      }
      // A single save may have failed the whole group, so each is retried alone.
      let mayRepeat = requests.count > 1 && !error.isOutcomeUnknown && !error.isOfOthers
      results = requests.map { mayRepeat ? commit($0, in: store) : .failure(.error(error.saveError(of: $0))) }
    }
    if results.count < group.count {
      queue.withLock { queue in
        queue.saves.insert(contentsOf: group[results.count...], at: 0)
        queue.hasRest = true
      }
      group.removeLast(group.count - results.count)
      requests.removeLast(requests.count - results.count)
    }
    let observers = requests.compactMap(\.observer)
    let isGrouped = group.count > 1
    queue.withLock { $0.isGrouped = isGrouped }
    requests = []
    for save in group { save.free() }
    for (save, result) in zip(group, results) { save.end(result) }
    return observers
  }

  private func announce(_ store: Store, except observers: [Int]) {
    store.headMoved(except: observers)
    store.journals.checkpointIfNeeded()
  }

  private func commit(_ request: SaveRequest, in store: Store) -> Result<AppendedSave, AppendRefusal> {
    var requests = [request]
    do throws(SaveFailure) {
      return try append(&requests, to: store) { [] }[0]
    } catch {
      return .failure(.error(error.saveError(of: request)))
    }
  }

  /// The longest wait of a cancelled task's save for another process, in milliseconds. A task that saves because it was
  /// cancelled must not lose its save to a short wait.
  private static let grace = 1000

  /// Ends the saves of cancelled tasks, in the group and in the queue. Returns true if the group is empty then.
  private func endCancelled(_ group: inout [WaitingSave], _ requests: inout [SaveRequest]) -> Bool {
    var ended = queue.withLock { queue in
      let ended = queue.saves.filter(\.isCancelled)
      queue.saves.removeAll(where: \.isCancelled)
      return ended
    }
    for place in group.indices.reversed() where group[place].isCancelled {
      ended.append(group.remove(at: place))
      requests.remove(at: place)
    }
    for save in ended { save.end(.failure(.cancelled)) }
    return group.isEmpty
  }

  /// The most changes that a late joiner may have, because earlier saves wait for it.
  private static let small = 100

  private func takeLate() -> [WaitingSave] {
    queue.withLock { queue in
      let late = queue.saves.prefix { save in
        save.request.map { $0.drafts.isEmpty && $0.changes.count <= Self.small } ?? false
      }
      queue.saves.removeFirst(late.count)
      return Array(late)
    }
  }
}

extension LogWriter.Queue {
  var hasWork: Bool { !saves.isEmpty || !works.isEmpty }

  /// False if another thread leads.
  mutating func takeLead() -> Bool {
    defer { isWriting = true }
    return !isWriting
  }
}

extension Store {
  /// Appends a transaction to the log. See ``SaveRequest``. Saves of one isolation domain are appended in the order of
  /// their calls.
  ///
  /// - Parameter mayBlock: Whether the caller's thread may wait for the disk.
  nonisolated(nonsending)
    package func save(_ request: SaveRequest, mayBlock: Bool = false) async -> Result<AppendedSave, AppendRefusal>
  { await writer.save(request, in: self, mayBlock: mayBlock) }

  /// Appends a transaction to the log, and blocks the thread until then.
  package func saveAndWait(_ request: SaveRequest) -> Result<AppendedSave, AppendRefusal> {
    writer.saveAndWait(request, in: self)
  }
}
