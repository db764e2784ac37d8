import RepriseLists
import RepriseObjectModel

extension RemoteSource: RefreshableSource, PagedSource, PrefetchingSource {
  /// Not ready until the server's first page has been read once, in any launch, or there are objects already. If that
  /// fails, failed.
  public var readiness: Readiness {
    guard case .ready = list.readiness, !isRead, list.count == 0 else { return list.readiness }
    return failure.map { .failed($0) } ?? .pending
  }

  /// How many sections there are. As of the ``list``.
  public var sectionCount: Int { list.sectionCount }
  /// What a section is called. As of the ``list``.
  public func sectionName(_ section: Int) -> String? { list.sectionName(section) }
  /// How many rows a section has. As of the ``list``.
  public func rowCount(inSection section: Int) -> Int { list.rowCount(inSection: section) }
  /// The object in a row, which must exist. As of the ``list``.
  public func element(at path: RowPath) -> Element { list.element(at: path) }
  /// The URI of the object in a row: the same in each launch, as the object is. As of the ``list``.
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? { list.modelIdentifier(at: path) }
  /// Where the row of an object is. As of the ``list``; not loaded before the first rows are.
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    let found = list.row(for: identifier)
    return found == .deleted && !readiness.isReady ? .notLoaded : found
  }
  /// The rows as a collection. As of the ``list``.
  public var rows: ListRows<Element> { list.rows }

  /// Calls `body` with each batch of the ``list``, and when the source becomes ready, or ``failure`` changes.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    let rows = list.observe(body)
    let others = observers.add(body)
    return ListObservation {
      rows.cancel()
      others.cancel()
    }
  }

  /// Reads what changed on the server: everything that changed if it tells changes, nothing if it says that nothing
  /// did, else as many pages as were read before. Rows that the server has no more are deleted once all pages have been
  /// read in one launch, from the first on, as the server had them at one moment (``RemotePage/validator``).
  ///
  /// The list shows it when this returns, unless the context keeps its position (`followsHead`).
  ///
  /// - Throws: `RemoteError`; `SaveError`, `StoreError`: the store cannot be read or written; `CancellationError`.
  nonisolated(nonsending) public func refresh() async throws {
    let synchronizer = synchronizer
    try await reading(refreshing) { try await synchronizer.refresh() }
  }

  /// Reads the next page; the first one, if none has been read.
  ///
  /// - Throws: As ``refresh()``.
  nonisolated(nonsending) public func loadMore() async throws {
    let synchronizer = synchronizer
    try await reading(loading) { try await synchronizer.loadMore() }
  }

  nonisolated(nonsending) func reading(
    _ flight: SingleFlight, _ body: nonisolated(nonsending) () async throws -> Void
  ) async throws {
    do {
      try await flight.run(body)
      arrive(nil)
    } catch {
      arrive(error is CancellationError ? failure : error)
      throw error
    }
  }

  /// Loads the next page if one of the rows is among the last ones (``RemoteOptions/prefetchDistance``).
  nonisolated(nonsending) public func prefetch(_ rows: [RowPath]) async {
    let snapshot = list.snapshot
    let border = snapshot.count - options.prefetchDistance
    guard canLoadMore, rows.contains(where: { snapshot.index(of: $0).map { $0 >= border } ?? false }) else { return }
    // A hint: whoever loads the page will hear of the failure.
    try? await loadMore()
  }
}
