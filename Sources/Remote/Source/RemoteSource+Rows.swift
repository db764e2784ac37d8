import RepriseLists
import RepriseObjectModel

extension RemoteSource: RefreshableSource, PagedSource, PrefetchingSource {
  /// Whether the source has rows, or knows that there are none.
  ///
  /// It is `loaded` if any launch has read the first page, or if the list has objects. Otherwise, it is `failed` if the
  /// last attempt to read failed, and `loading` if not.
  public var loadState: LoadState {
    guard case .loaded = list.loadState, !isRead, list.count == 0 else { return list.loadState }
    return failure.map { .failed($0) } ?? .loading
  }

  /// The number of sections of the ``list``.
  public var sectionCount: Int { list.sectionCount }
  /// Returns the name of a section of the ``list``.
  public func sectionName(_ section: Int) -> String? { list.sectionName(section) }
  /// Returns the number of rows in a section of the ``list``.
  public func rowCount(inSection section: Int) -> Int { list.rowCount(inSection: section) }
  /// Returns the object in a row of the ``list``.
  ///
  /// Traps if the row does not exist.
  public func element(at path: RowPath) -> Element { list.element(at: path) }
  /// Returns the URI of the object in a row of the ``list``, the same in every launch.
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? { list.modelIdentifier(at: path) }
  /// Returns the row of an object in the ``list``.
  ///
  /// Before the source is loaded, an object without a row is `RowLookup.notLoaded`.
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    let found = list.row(for: identifier)
    return found == .deleted && !loadState.isLoaded ? .notLoaded : found
  }
  /// The rows of the ``list``, as a collection.
  public var rows: ListRows<Element> { list.rows }

  /// Calls `body` with each batch of the ``list``, until the observation ends.
  ///
  /// `body` also receives a reset when the source becomes loaded, and when ``failure`` changes.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    let rows = list.observe(body)
    let others = observers.add(body)
    return ListObservation {
      rows.cancel()
      others.cancel()
    }
  }

  /// Reads the changes from the server.
  ///
  /// If the server reports changes since a cursor, the source reads only these changes. If the server reports that
  /// nothing has changed, the source reads no rows. Otherwise, it reads as many pages as before.
  ///
  /// The source deletes the rows that the server no longer has, once one launch has read all pages from the first to
  /// the last. The pages must show the list at one moment, see ``RemotePage/validator``.
  ///
  /// When the call returns, the list shows the changes, unless its context keeps its position (`followsHead`).
  ///
  /// - Throws: `RemoteError`. `SaveError` or `StoreError` if the store cannot be read or written. `CancellationError`.
  nonisolated(nonsending) public func refresh() async throws {
    let synchronizer = synchronizer
    try await reading(refreshing) { try await synchronizer.refresh() }
  }

  /// Reads the next page, or the first one if none has been read.
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

  /// Loads the next page if one of the rows is among the last rows, see ``RemoteOptions/prefetchDistance``.
  nonisolated(nonsending) public func prefetch(_ rows: [RowPath]) async {
    let snapshot = list.snapshot
    let border = snapshot.count - max(0, options.prefetchDistance)
    guard canLoadMore, rows.contains(where: { snapshot.index(of: $0).map { $0 >= border } ?? false }) else { return }
    // This is a hint. The caller that loads the page receives the failure.
    try? await loadMore()
  }
}
