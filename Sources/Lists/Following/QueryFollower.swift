import RepriseObjectModel
import RepriseSystem

/// The changes that a follower reports to its source.
struct QueryChanges<Element: Equatable & Sendable>: Sendable {
  typealias Rows = KeyedRows<ModelIdentifier, Element>

  /// The rows after the previous changes.
  var before: Rows
  var after: Rows
  /// The changes from `before` to `after`. `nil` if they are not computed yet, and `.some(nil)` for a reset.
  var changes: ListChanges??
  /// The load state. `nil` if it has not changed.
  var loadState: LoadState?
  var limit: Int
  var canLoadMore: Bool

  mutating func merge(_ later: QueryChanges) {
    let (before, loadState) = (before, later.loadState ?? loadState)
    self = later
    self.before = before
    self.loadState = loadState
    changes = nil
  }
}

/// Runs a query repeatedly, on a separate thread.
final class QueryFollower<Query: FollowedQuery>: Sendable {
  /// The longest delay between attempts, in nanoseconds.
  private static var longestDelay: UInt64 { 30_000_000_000 }

  let channel = CoalescingChannel<QueryChanges<Query.Element>> { $0.merge($1) }
  private let query: Query
  private let interval: UInt64
  private let orders = Guarded(Orders())
  private let wakeUp = WakeUp()
  private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool

  /// The thread's next work.
  private struct Orders {
    var limit: Int?
    var isForced = false
    /// Whether the thread must run the query at once.
    var isUrgent = false
    var isStopped = false
    /// Whether there is a thread.
    var isStarted = false
    var waiting: [AsyncStream<(any Error)?>.Continuation] = []
  }

  /// - Parameter startThread: Runs a closure on a new thread. False if the system has no more threads. Tests replace
  ///   it.
  init(
    _ query: Query, interval: Duration,
    startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = { SystemThread.start($0) }
  ) {
    self.query = query
    self.startThread = startThread
    let parts = interval.components
    let nanoseconds = Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9
    self.interval = UInt64(min(max(nanoseconds, 1e6), 1e18))
  }

  func start(limit: Int) {
    orders.withLock { $0.limit = limit }
    guard !begin() else { return }
    let rows = QueryChanges<Query.Element>.Rows()
    channel.send(
      QueryChanges(
        before: rows, after: rows, changes: .some(ListChanges()), loadState: .failed(noThread), limit: limit,
        canLoadMore: false))
  }

  private var noThread: SourceError {
    .unavailable(
      source: query.identifierPrefix, reason: "the system has no more threads, and each source needs one")
  }

  /// Starts the thread that follows the query, if it is not started. False if the system has no more threads.
  private func begin() -> Bool {
    orders.withLock { orders in
      orders.isStarted = orders.isStarted || orders.isStopped || startThread { self.follow() }
      return orders.isStarted
    }
  }

  func stop() {
    channel.finish()
    orders.withLock { $0.isStopped = true }
    wakeUp.wake()
  }

  /// Runs the query now. Returns the failure, if any, once the source has the report.
  ///
  /// - Parameters:
  ///   - limit: The new limit, which takes effect once an answer with it was read. `nil` keeps the limit.
  ///   - isForced: Whether to ask even if nothing seems to have changed.
  func look(limit: Int? = nil, isForced: Bool) async throws(CancellationError) -> (any Error)? {
    if !begin() { return noThread }
    // A stream, because waiting for a stream ends when the task is cancelled.
    let (answers, answer) = AsyncStream<(any Error)?>.makeStream()
    let isStopped = orders.withLock { orders in
      if let limit { orders.limit = limit }
      orders.isForced = orders.isForced || isForced
      orders.isUrgent = true
      orders.waiting.append(answer)
      return orders.isStopped
    }
    if isStopped { throw CancellationError() }
    wakeUp.wake()
    for await failure in answers { return failure }
    throw CancellationError()
  }

  // MARK: On the thread

  private func follow() {
    var attempt = Attempt(query)
    var deadline = WakeUp.now()
    var delay = interval
    while true {
      let orders = orders.withLock { orders in
        defer { orders = Orders(isStopped: orders.isStopped, isStarted: true) }
        return orders
      }
      if orders.isStopped {
        for continuation in orders.waiting { continuation.finish() }
        return
      }
      if orders.isUrgent || WakeUp.now() >= deadline {
        if let changes = attempt.look(limit: orders.limit, isForced: orders.isForced) { channel.send(changes) }
        delay = attempt.failure == nil ? interval : min(max(delay, interval) * 2, Self.longestDelay)
        deadline = WakeUp.now() + delay
      }
      for continuation in orders.waiting { continuation.yield(attempt.failure) }
      wakeUp.wait(until: deadline)
    }
  }

  /// The last answer, and the state for the next attempt.
  private struct Attempt {
    private let query: Query
    private var connection: Query.Connection?
    private var rows = QueryChanges<Query.Element>.Rows()
    private var limit = 0
    private var hasMore = false
    /// Whether any attempt had an answer.
    private var isLoaded = false
    private(set) var failure: (any Error)?

    init(_ query: Query) { self.query = query }

    /// Makes an attempt. Returns the changes, or `nil` if there are none.
    mutating func look(limit wanted: Int?, isForced: Bool) -> QueryChanges<Query.Element>? {
      let wanted = wanted ?? limit
      do {
        let isNew = connection == nil
        let connection = try connection ?? query.connect()
        self.connection = connection
        guard try isNew || isForced || wanted != limit || failure != nil || connection.mayHaveChanged() else {
          return nil
        }
        let answer = try connection.answer(limit: wanted)
        guard let rows = QueryChanges<Query.Element>.Rows(answer.elements, keys: answer.identifiers) else {
          throw SourceError.invalid(source: query.identifierPrefix, reason: Self.problem(of: answer))
        }
        return take(rows, wanted, answer.hasMore)
      } catch {
        connection = nil
        // The limit of the next attempt is the number of visible rows, or the limit of the first one.
        if !isLoaded { limit = wanted }
        let isKnown = failure.map { "\($0)" == "\(error)" } ?? false
        failure = error
        return isKnown ? nil : report(rows, changes: .some(ListChanges()), .failed(error))
      }
    }

    /// Why the identifiers of an answer do not name its rows.
    private static func problem(of answer: QueryAnswer<Query.Element>) -> String {
      let (rows, identifiers) = (answer.elements.count, answer.identifiers.count)
      guard rows == identifiers else {
        return "the query answered with \(rows) rows and \(identifiers) identifiers, but each row needs one identifier"
      }
      var known: Set<ModelIdentifier> = []
      let twice = answer.identifiers.first { !known.insert($0).inserted }
      return "two rows have the identifier '\(twice?.rawValue ?? "")', but the columns of the key must be unique "
        + "together"
    }

    private mutating func take(
      _ new: QueryChanges<Query.Element>.Rows, _ wanted: Int, _ more: Bool
    ) -> QueryChanges<Query.Element>? {
      let changes = isLoaded ? new.changes(since: rows) : nil
      let loadState = isLoaded && failure == nil ? nil : LoadState.loaded
      let isSame = changes?.isEmpty ?? false && loadState == nil && wanted == limit && more == hasMore
      (limit, hasMore, isLoaded, failure) = (wanted, more, true, nil)
      defer { rows = new }
      return isSame ? nil : report(new, changes: .some(changes), loadState)
    }

    private func report(
      _ after: QueryChanges<Query.Element>.Rows, changes: ListChanges??, _ loadState: LoadState?
    ) -> QueryChanges<Query.Element> {
      QueryChanges(
        before: rows, after: after, changes: changes, loadState: loadState, limit: limit, canLoadMore: hasMore)
    }
  }
}
