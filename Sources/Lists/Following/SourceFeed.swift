import RepriseSystem

/// Delivers news from other threads to the isolation of a data source, for the implementation of your own source.
///
/// News that arrive before the source's turn are merged. However much happens, each turn receives one value and makes
/// one batch of it.
///
/// ```swift
/// final class ClockSource: DataSource {
///   private let feed = SourceFeed<Int>()
///
///   init(isolation: isolated any Actor = #isolation) {
///     feed.start { [weak self] seconds in self?.show(seconds) }
///     clock.onTick { [feed] seconds in feed.send(seconds) }
///   }
///
///   deinit { feed.finish() }
///   …
/// }
/// ```
public final class SourceFeed<News: Sendable>: Sendable {
  private struct State {
    var news: News?
    /// Those who wait until all that was sent has been received.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isFinished = false
  }

  private let state = Guarded(State())
  private let merge: @Sendable (inout News, News) -> Void
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  /// Makes a feed.
  ///
  /// - Parameter merge: Merges later news into earlier news. By default, later news replace earlier news.
  public init(merging merge: @escaping @Sendable (inout News, News) -> Void = { $0 = $1 }) {
    self.merge = merge
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Sends news from any thread, and returns at once.
  public func send(_ news: News) {
    state.withLock { state in
      if state.isFinished { return }
      guard var merged = state.news else { return state.news = news }
      // Nobody else holds them while they are merged, so that nothing is copied.
      state.news = nil
      merge(&merged, news)
      state.news = merged
    }
    signal.yield()
  }

  /// Starts delivering news to the caller's isolation.
  ///
  /// Call it once.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the source.
  ///   - receive: Receives the news. If it retains the source, the source is never released.
  public func start(isolation: isolated any Actor = #isolation, _ receive: @escaping (News) -> Void) {
    Task { [signals, weak self] in
      _ = isolation
      for await _ in signals { self?.deliver(receive) }
    }
  }

  /// Ends the feed, so that nothing more is delivered.
  ///
  /// Call it when the source is released.
  public func finish() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.isFinished = true
      state.news = nil
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
    signal.finish()
  }

  /// Returns after all news sent so far have been delivered.
  nonisolated(nonsending) public func delivered() async {
    await withCheckedContinuation { continuation in
      let isFinished = state.withLock { state in
        if !state.isFinished { state.waiting.append(continuation) }
        return state.isFinished
      }
      if isFinished { continuation.resume() } else { signal.yield() }
    }
  }

  private func deliver(_ receive: (News) -> Void) {
    let (news, waiting) = state.withLock { state -> (News?, [CheckedContinuation<Void, Never>]) in
      defer { (state.news, state.waiting) = (nil, []) }
      return (state.news, state.waiting)
    }
    if let news { receive(news) }
    for continuation in waiting { continuation.resume() }
  }
}
