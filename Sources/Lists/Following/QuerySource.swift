import RepriseObjectModel

/// A data source that shows the answer of a query, and follows it as it changes.
///
/// The source runs the query on a separate thread, and again whenever the answer may have changed. It compares the rows
/// by their identifiers, and delivers a batch with the row changes. Changes that arrive before the isolation of the
/// source runs become one batch.
///
/// If the query fails, the source is ``LoadState/failed(_:)`` and shows the rows that it had. It retries with a delay
/// that doubles each time, up to 30 s. ``refresh()`` retries at once.
///
/// An answer costs as much as the query, and a comparison of all n rows, even if little has changed. All rows of the
/// answer are in memory, and twice while they are compared. A page size bounds both. The source belongs to the
/// isolation that made it.
public final class QuerySource<Query: FollowedQuery>: RefreshableSource, PagedSource, PrefetchingSource {
  /// The content of a row.
  public typealias Element = Query.Element

  /// The query.
  public let query: Query
  /// The state after the last attempt to run the query: `loading` before the first attempt ends, `loaded` after an
  /// answer, and `failed` after an error.
  ///
  /// After a failure, the source keeps its rows and tries again. If a later attempt has an answer, a batch announces
  /// it.
  public private(set) var loadState = LoadState.loading
  /// Whether there are rows beyond the loaded ones.
  public private(set) var canLoadMore = false
  /// The number of rows at the end of the list that trigger a load. ``prefetch(_:)`` of one of them loads the next
  /// page.
  public var prefetchDistance = 20
  private var shown = KeyedRows<ModelIdentifier, Element>()
  private var limit: Int
  private let pageSize: Int
  private let observers = ListObservers()
  private let refreshing = SingleFlight()
  private let loading = SingleFlight()
  private let follower: QueryFollower<Query>

  /// Starts the query, and returns at once.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - pageSize: How many rows are loaded at first, and by each ``loadMore()``. `nil` loads all rows.
  ///   - interval: How often to check whether the answer may have changed.
  ///   - isolation: The isolation of the source.
  public init(
    _ query: Query, pageSize: Int? = nil, interval: Duration = .milliseconds(250),
    isolation: isolated any Actor = #isolation
  ) {
    self.query = query
    self.pageSize = max(1, pageSize ?? .max)
    limit = self.pageSize
    follower = QueryFollower(query, interval: interval)
    follower.channel.start { [weak self] in self?.show($0) }
    follower.start(limit: limit)
  }

  deinit { follower.stop() }

  // MARK: Following

  /// Runs the query again, and returns after the observers have received the changes.
  ///
  /// - Throws: The reason why the query failed. `CancellationError` if the task was cancelled.
  nonisolated(nonsending) public func refresh() async throws {
    try await refreshing.run { try await self.look(isForced: true) }
  }

  /// Loads another page, at the cost of an answer with all rows up to the end of that page.
  ///
  /// - Throws: As ``refresh()``.
  nonisolated(nonsending) public func loadMore() async throws {
    try await loading.run {
      guard self.canLoadMore else { return }
      let sum = self.limit.addingReportingOverflow(self.pageSize)
      try await self.look(limit: sum.overflow ? .max : sum.partialValue, isForced: false)
    }
  }

  /// Loads the next page if one of the rows is among the last ``prefetchDistance`` rows.
  nonisolated(nonsending) public func prefetch(_ rows: [RowPath]) async {
    let near = max(0, shown.count - max(0, prefetchDistance))..<shown.count
    guard canLoadMore, rows.contains(where: { $0.section == 0 && near.contains($0.item) }) else { return }
    // This is a hint. The caller that loads the page receives the failure.
    try? await loadMore()
  }

  /// Checks for changes now instead of at the next interval, and returns after the observers have received them.
  ///
  /// - Throws: As ``refresh()``.
  nonisolated(nonsending) public func delivered() async throws { try await look(isForced: false) }

  nonisolated(nonsending) private func look(limit: Int? = nil, isForced: Bool) async throws {
    let failure = try await follower.look(limit: limit, isForced: isForced)
    await follower.channel.delivered()
    if let failure { throw failure }
  }

  private func show(_ reported: QueryChanges<Element>) {
    let before = snapshot
    var isFirst = false
    if case .loading = loadState { isFirst = true }
    if let loadState = reported.loadState { self.loadState = loadState }
    (shown, limit, canLoadMore) = (reported.after, reported.limit, reported.canLoadMore)
    let known: ListChanges?
    if let changes = reported.changes {
      known = changes
    } else {
      known = reported.after.changes(since: reported.before)
    }
    var changes = isFirst ? nil : known
    if changes?.isEmpty == true {
      if reported.loadState == nil { return }
      changes = nil
    }
    observers.deliver(ListBatch(before: before, after: snapshot, changes: changes))
  }

  /// Calls `body` after each change until the observation ends.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { observers.add(body) }

  // MARK: Rows

  /// Returns the number of loaded rows.
  ///
  /// - Complexity: O(1)
  public func rowCount(inSection section: Int) -> Int { section == 0 ? shown.count : 0 }

  /// Returns the element of a row.
  ///
  /// Traps if the row does not exist.
  ///
  /// - Complexity: O(1)
  public func element(at path: RowPath) -> Element {
    precondition(
      path.section == 0 && shown.elements.indices.contains(path.item),
      "There is no \(path.inWords): the row count of the source is \(shown.count). A path is valid only until the next "
        + "batch of changes.")
    return shown.elements[path.item]
  }

  /// Returns the identifier of a row, or `nil` if the row does not exist.
  ///
  /// - Complexity: O(1)
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? {
    path.section == 0 && shown.keys.indices.contains(path.item) ? shown.keys[path.item] : nil
  }

  /// Returns the row with an identifier.
  ///
  /// An unknown identifier is ``RowLookup/notLoaded`` while the source is not loaded or can load more, and otherwise
  /// ``RowLookup/deleted``. With another prefix, it is ``RowLookup/foreignStore`` once the source is loaded.
  ///
  /// - Complexity: O(1)
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    if let index = shown.index(of: identifier) { return .row(RowPath(item: index)) }
    guard identifier.rawValue.hasPrefix(query.identifierPrefix) else {
      return loadState.isLoaded ? .foreignStore : .notLoaded
    }
    return loadState.isLoaded && !canLoadMore ? .deleted : .notLoaded
  }
}
