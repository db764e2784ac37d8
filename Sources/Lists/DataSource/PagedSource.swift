/// A data source that has its first rows, and can load further ones: the pages of a server, the rest of a large file.
///
/// The rows that are loaded are the rows of the list: counts and places speak of them alone. An identifier beyond them
/// is ``RowLookup/notLoaded`` as long as ``canLoadMore``, unless the source knows better.
public protocol PagedSource<Element>: DataSource {
  /// Whether there may be rows that are not loaded yet; also of a source that is ``Readiness/pending`` until it is
  /// asked for its first page. It changes only while a page is loaded or the source is refreshed.
  var canLoadMore: Bool { get }

  /// Loads the next page, and returns once the observers have received its rows. Does nothing if there is none.
  ///
  /// One at a time: a call during another one joins it, so that a list which reaches its end twice loads one page. It
  /// ends early if its task is cancelled, with a `CancellationError`; then, and after a failure, the next call loads
  /// the same page.
  ///
  /// - Throws: Why the page could not be loaded; `CancellationError` if the task was cancelled.
  nonisolated(nonsending) func loadMore() async throws
}

extension PagedSource {
  /// Loads pages until there are so many rows, or no more pages; for a screen that returns to a place far down.
  ///
  /// Costs the pages in between, one after the other.
  ///
  /// - Throws: As ``loadMore()``; the pages loaded until then stay.
  nonisolated(nonsending) public func load(atLeast rowCount: Int) async throws {
    while count < rowCount, canLoadMore { try await loadMore() }
  }
}
