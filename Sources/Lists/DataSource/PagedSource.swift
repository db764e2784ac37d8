/// A data source that loads its rows in pages, such as the pages of a server or the parts of a large file.
///
/// The rows of the list are the loaded rows. Counts and paths refer only to them. While ``canLoadMore`` is `true`, an
/// identifier without a loaded row is ``RowLookup/notLoaded``. If the source knows that no further row has the
/// identifier, it may return another result.
public protocol PagedSource<Element>: DataSource {
  /// Whether there may be rows that are not loaded yet.
  ///
  /// It is also `true` before the first page is loaded, if the source loads that page only on request. It changes only
  /// while a page is loaded or the source is refreshed.
  var canLoadMore: Bool { get }

  /// Loads the next page, and returns after the observers have received its rows.
  ///
  /// Does nothing if there is none.
  ///
  /// A call during another one joins it, so a list whose end is reached twice loads one page. If its task is cancelled,
  /// the call ends early. After a cancellation or a failure, the next call loads the same page.
  ///
  /// - Throws: The reason why the page could not be loaded. `CancellationError` if the task was cancelled.
  nonisolated(nonsending) func loadMore() async throws
}

extension PagedSource {
  /// Loads pages until there are at least this many rows, or until the last page is loaded.
  ///
  /// Use it for a screen that returns to a position far down. It loads one page after the other.
  ///
  /// - Throws: As ``loadMore()``. Pages that were already loaded stay.
  nonisolated(nonsending) public func load(atLeast rowCount: Int) async throws {
    while count < rowCount, canLoadMore { try await loadMore() }
  }
}
