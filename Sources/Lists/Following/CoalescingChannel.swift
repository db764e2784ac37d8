import RepriseSystem

/// Delivers changes from other threads to the isolation of a data source, for the implementation of your own source.
///
/// The channel merges the changes that arrive before the isolation of the source runs. So each turn of the isolation
/// receives at most one value, and the source can make one batch of it.
///
/// ```swift
/// final class ClockSource: DataSource {
///   private let channel = CoalescingChannel<Int>()
///
///   init(isolation: isolated any Actor = #isolation) {
///     channel.start { [weak self] seconds in self?.show(seconds) }
///     clock.onTick { [channel] seconds in channel.send(seconds) }
///   }
///
///   deinit { channel.finish() }
///   …
/// }
/// ```
public final class CoalescingChannel<Element: Sendable>: Sendable {
  private struct State {
    var merged: Element?
    /// The tasks that wait until everything sent has been received.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isFinished = false
  }

  private let state = Guarded(State())
  private let merge: @Sendable (inout Element, Element) -> Void
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  /// Makes a channel.
  ///
  /// - Parameter merge: Merges a later element into an earlier one. By default, the later one replaces the earlier one.
  public init(merging merge: @escaping @Sendable (inout Element, Element) -> Void = { $0 = $1 }) {
    self.merge = merge
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Sends an element from any thread, and returns at once.
  public func send(_ element: Element) {
    state.withLock { state in
      if state.isFinished { return }
      guard var merged = state.merged else { return state.merged = element }
      // Cleared first, so that the merge has the only reference and copies nothing.
      state.merged = nil
      merge(&merged, element)
      state.merged = merged
    }
    signal.yield()
  }

  /// Starts delivering elements to the caller's isolation.
  ///
  /// Call it once.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the source.
  ///   - receive: Receives the merged element. If it retains the source, the source is never released.
  public func start(isolation: isolated any Actor = #isolation, _ receive: @escaping (Element) -> Void) {
    Task { [signals, weak self] in
      _ = isolation
      for await _ in signals { self?.deliver(receive) }
    }
  }

  /// Ends the channel, so that nothing more is delivered.
  ///
  /// Call it when the source is released.
  public func finish() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.isFinished = true
      state.merged = nil
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
    signal.finish()
  }

  /// Returns after all elements sent so far have been delivered.
  nonisolated(nonsending) public func delivered() async {
    await withCheckedContinuation { continuation in
      let isFinished = state.withLock { state in
        if !state.isFinished { state.waiting.append(continuation) }
        return state.isFinished
      }
      if isFinished { continuation.resume() } else { signal.yield() }
    }
  }

  private func deliver(_ receive: (Element) -> Void) {
    let (merged, waiting) = state.withLock { state -> (Element?, [CheckedContinuation<Void, Never>]) in
      defer { (state.merged, state.waiting) = (nil, []) }
      return (state.merged, state.waiting)
    }
    if let merged { receive(merged) }
    for continuation in waiting { continuation.resume() }
  }
}
