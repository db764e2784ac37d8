import RepriseSystem

/// The batches of a data source, for loops: ``DataSource/batches``.
///
/// ```swift
/// for await batch in list.batches {
///   title.text = "\(batch.after.count) items"
/// }
/// ```
///
/// The first iteration begins with the moment at which the sequence was asked for, each further one when it is made;
/// any number may run at once, and each receives every batch, also those that come while its loop is busy. An iteration
/// that falls behind by more than 64 batches, or by 10,000 rows, receives a reset in their place, from where it was to
/// where the list is. So batches follow each other without a gap, and memory is bounded; but the list may have moved on
/// by the time the loop handles one, and its places may no longer be those of the list. To read the rows that a batch
/// names, use ``DataSource/observe(_:)``.
///
/// It ends with the source, or when the task is cancelled. It belongs to the source's isolation, and does not retain
/// the source.
public struct ListBatches: AsyncSequence {
  /// A batch.
  public typealias Element = ListBatch
  /// It does not fail.
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

    /// The next batch; `nil` once the source is gone or the task is cancelled.
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

/// What one iteration has not received yet, and the observation that feeds it.
final class BatchSubscription {
  let buffer = BatchBuffer()
  private var observation: ListObservation?

  init<Source: DataSource>(_ source: Source?) {
    let feed = BatchFeed(buffer)
    observation = source?.observe { feed.buffer.add($0) }
  }
}

/// Ends an iteration with the observers of the source, which hold this.
private final class BatchFeed {
  let buffer: BatchBuffer
  init(_ buffer: BatchBuffer) { self.buffer = buffer }
  deinit { buffer.finish() }
}

/// Batches on their way to an iteration.
final class BatchBuffer: Sendable {
  /// Beyond so many batches, or more rows than one batch names, they become one reset.
  static let batchLimit = 64

  private struct State {
    var batches: [ListBatch] = []
    /// How many rows they name.
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
    // The batch, or `nil` for the end; nothing if it has to wait.
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
