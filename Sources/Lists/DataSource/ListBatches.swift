import RepriseSystem

/// The batches of a data source as an asynchronous sequence: ``DataSource/batches``.
///
/// ```swift
/// for await batch in list.batches {
///   title.text = "\(batch.after.count) items"
/// }
/// ```
///
/// The first iteration has all batches since you read ``DataSource/batches``. Each further iteration has all batches
/// since you began it. Any number of iterations may run at once. No iteration misses a batch that arrives while its
/// loop is busy.
///
/// If an iteration is more than 64 batches or 10,000 rows behind, it receives one reset in place of these batches. Its
/// batches therefore stay contiguous, and its memory is bounded. When the loop handles a batch, the list may already
/// have changed again, so the batch's paths may be outdated. To read the rows that a batch names, use
/// ``DataSource/observe(_:)``.
///
/// An iteration ends when the source is released or the task is cancelled. The sequence belongs to the source's
/// isolation, and does not retain the source.
public struct ListBatches: AsyncSequence {
  /// A batch.
  public typealias Element = ListBatch
  /// An iteration never throws.
  public typealias Failure = Never

  private let start: Start

  init<Source: DataSource>(_ source: Source) {
    start = Start { [weak source] in BatchSubscription(source) }
  }

  /// Begins an iteration.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start.next()) }

  /// An iteration over the batches.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let subscription: BatchSubscription

    init(_ subscription: BatchSubscription) { self.subscription = subscription }

    /// Returns the next batch, or `nil` once the source is released or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> ListBatch? {
      await subscription.buffer.next(isolation: actor)
    }
  }

  /// Holds the subscription that the first iteration takes over.
  private final class Start {
    private let subscribe: () -> BatchSubscription
    private var first: BatchSubscription?

    init(_ subscribe: @escaping () -> BatchSubscription) {
      self.subscribe = subscribe
      first = subscribe()
    }

    func next() -> BatchSubscription {
      defer { first = nil }
      return first ?? subscribe()
    }
  }
}

/// The batches that one iteration has not received yet, and the observation that feeds it.
final class BatchSubscription {
  let buffer = BatchBuffer()
  private var observation: ListObservation?

  init<Source: DataSource>(_ source: Source?) {
    let feed = BatchFeed(buffer)
    observation = source?.observe { feed.buffer.add($0) }
  }
}

/// Ends an iteration when the source goes. The observer of the source retains this object.
private final class BatchFeed {
  let buffer: BatchBuffer
  init(_ buffer: BatchBuffer) { self.buffer = buffer }
  deinit { buffer.finish() }
}

/// The batches that an iteration has not received yet.
final class BatchBuffer: Sendable {
  /// The most batches. More batches, or more rows than one batch may name, become one reset.
  static let batchLimit = 64

  private struct State {
    var batches: [ListBatch] = []
    /// The number of rows that the batches name.
    var rowCount = 0
    var waiting: [Waiting] = []
    /// Calls that were cancelled before they waited.
    var cancelled: Set<Int> = []
    var nextCall = 0
    var isFinished = false
  }

  private struct Waiting {
    let call: Int
    let continuation: CheckedContinuation<ListBatch?, Never>
  }

  private let state = Guarded(State())

  func add(_ batch: ListBatch) {
    let receiver = state.withLock { state -> Waiting? in
      if let first = state.waiting.first {
        state.waiting.removeFirst()
        return first
      }
      state.batches.append(batch)
      state.rowCount += batch.changes?.rowCount ?? 0
      if batch.isReset || state.batches.count > Self.batchLimit || state.rowCount > ListChanges.rowLimit {
        state.batches = [ListBatch(before: state.batches[0].before, after: batch.after)]
        state.rowCount = 0
      }
      return nil
    }
    receiver?.continuation.resume(returning: batch)
  }

  func finish() {
    let waiting = state.withLock { state -> [Waiting] in
      state.isFinished = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for call in waiting { call.continuation.resume(returning: nil) }
  }

  func next(isolation: isolated (any Actor)?) async -> ListBatch? {
    let call = state.withLock { state -> Int in
      state.nextCall += 1
      return state.nextCall
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { wait(Waiting(call: call, continuation: $0)) }
    } onCancel: {
      cancel(call)
    }
  }

  private func wait(_ waiting: Waiting) {
    // `.some(batch)`, or `.some(nil)` for the end. `nil` if the call must wait.
    let answer = state.withLock { state -> ListBatch?? in
      if state.cancelled.remove(waiting.call) != nil { return .some(nil) }
      guard let first = state.batches.first else {
        if state.isFinished { return .some(nil) }
        state.waiting.append(waiting)
        return nil
      }
      state.batches.removeFirst()
      state.rowCount -= first.changes?.rowCount ?? 0
      return first
    }
    if let answer { waiting.continuation.resume(returning: answer) }
  }

  private func cancel(_ call: Int) {
    let waiting = state.withLock { state -> Waiting? in
      guard let index = state.waiting.firstIndex(where: { $0.call == call }) else {
        state.cancelled.insert(call)
        return nil
      }
      return state.waiting.remove(at: index)
    }
    waiting?.continuation.resume(returning: nil)
  }
}
