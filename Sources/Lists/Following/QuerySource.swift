import RepriseObjectModel

/// The answer of a query as rows, followed as it changes.
///
/// It asks on a thread of its own, and again when the query may have another answer; then it compares the rows by their
/// identifiers, and its batch says which came, went, moved or changed. What happens before the source had its turn is
/// one batch.
///
/// While the query cannot be asked, the source is ``Readiness/failed(_:)`` and shows what it had. It tries again after
/// twice the time each time, 30 s at most, and at once when it is told to ``refresh()``.
///
/// An answer costs what the query costs, and O(n) to compare, whatever changed; all rows of it are in memory, twice
/// while they are compared. A page size bounds both. The source belongs to the isolation in which it was made.
public final class QuerySource<Query: FollowedQuery>: RefreshableSource, PagedSource, PrefetchingSource {
  /// What a row shows.
  public typealias Element = Query.Element

  /// What is asked.
  public let query: Query
  /// Whether there was an answer. A later batch may bring one after a failure.
  public private(set) var readiness = Readiness.pending
  /// Whether there are rows beyond those that are loaded.
  public private(set) var canLoadMore = false
  /// How many rows before the end ``prefetch(_:)`` loads the next page.
  public var prefetchDistance = 20
  private var shown = KeyedRows<ModelIdentifier, Element>()
  private var limit: Int
  private let pageSize: Int
  private let observers = ListObservers()
  private let refreshing = SingleFlight()
  private let loading = SingleFlight()
  private let follower: QueryFollower<Query>

  /// Begins to ask, and returns at once.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - pageSize: How many rows are loaded at first, and by each ``loadMore()``; all if it is `nil`.
  ///   - interval: How often the query is asked whether it may have changed.
  ///   - isolation: That of the source.
  public init(
    _ query: Query, pageSize: Int? = nil, interval: Duration = .milliseconds(250),
    isolation: isolated any Actor = #isolation
  ) {
    self.query = query
    self.pageSize = max(1, pageSize ?? .max)
    limit = self.pageSize
    follower = QueryFollower(query, interval: interval)
    follower.feed.start { [weak self] in self?.show($0) }
    follower.start(limit: limit)
  }

  deinit { follower.stop() }

  // MARK: Following

  /// Asks anew, and returns once the observers have received what changed.
  ///
  /// - Throws: Why the query could not be asked; `CancellationError` if the task was cancelled.
  nonisolated(nonsending) public func refresh() async throws {
    try await refreshing.run { try await self.look(isForced: true) }
  }

  /// Loads another page, at the cost of an answer with all rows up to its end.
  ///
  /// - Throws: As ``refresh()``.
  nonisolated(nonsending) public func loadMore() async throws {
    try await loading.run {
      guard self.canLoadMore else { return }
      let sum = self.limit.addingReportingOverflow(self.pageSize)
      try await self.look(limit: sum.overflow ? .max : sum.partialValue, isForced: false)
    }
  }

  /// Loads the next page if one of the rows is among the last ones: ``prefetchDistance``.
  nonisolated(nonsending) public func prefetch(_ rows: [RowPath]) async {
    let near = max(0, shown.count - prefetchDistance)..<shown.count
    guard canLoadMore, rows.contains(where: { $0.section == 0 && near.contains($0.item) }) else { return }
    // A hint: whoever loads the page will hear of the failure.
    try? await loadMore()
  }

  /// Asks whether the query may have changed, instead of at the next interval, and returns once the observers have
  /// received what did.
  ///
  /// - Throws: As ``refresh()``.
  nonisolated(nonsending) public func delivered() async throws { try await look(isForced: false) }

  nonisolated(nonsending) private func look(limit: Int? = nil, isForced: Bool) async throws {
    let failure = try await follower.look(limit: limit, isForced: isForced)
    await follower.feed.delivered()
    if let failure { throw failure }
  }

  private func show(_ news: QueryNews<Element>) {
    let before = snapshot
    var isFirst = false
    if case .pending = readiness { isFirst = true }
    if let readiness = news.readiness { self.readiness = readiness }
    (shown, limit, canLoadMore) = (news.after, news.limit, news.canLoadMore)
    let known: ListChanges?
    if let changes = news.changes { known = changes } else { known = news.after.changes(since: news.before) }
    var changes = isFirst ? nil : known
    if changes?.isEmpty == true {
      if news.readiness == nil { return }
      changes = nil
    }
    observers.deliver(ListBatch(before: before, after: snapshot, changes: changes))
  }

  /// Calls `body` after each change, as long as the observation lives.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { observers.add(body) }

  // MARK: Rows

  /// 1: there are no sections.
  public var sectionCount: Int { 1 }

  /// `nil`: there are no sections.
  public func sectionName(_ section: Int) -> String? { nil }

  /// How many rows are loaded. O(1).
  public func rowCount(inSection section: Int) -> Int { section == 0 ? shown.count : 0 }

  /// The element of a row, which must exist. O(1).
  public func element(at path: RowPath) -> Element {
    precondition(path.section == 0 && shown.elements.indices.contains(path.item), "There is no row \(path).")
    return shown.elements[path.item]
  }

  /// The identifier of a row; `nil` if there is no such row. O(1).
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? {
    path.section == 0 && shown.keys.indices.contains(path.item) ? shown.keys[path.item] : nil
  }

  /// Where the row with an identifier is. O(1).
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    if let index = shown.index(of: identifier) { return .row(RowPath(item: index)) }
    guard identifier.rawValue.hasPrefix(query.identifierPrefix) else {
      return readiness.isReady ? .foreignStore : .notLoaded
    }
    return readiness.isReady && !canLoadMore ? .deleted : .notLoaded
  }
}
