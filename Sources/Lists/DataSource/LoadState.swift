/// Whether a data source has its rows.
@nonexhaustive
public enum LoadState: Sendable {
  /// The rows are not there yet. The source is loading them, or it loads its first page only when you call
  /// `loadMore()`.
  ///
  /// A later batch announces the change to ``loaded`` or ``failed(_:)``.
  case loading
  /// The rows are there.
  case loaded
  /// The rows could not be read, for this reason.
  ///
  /// The source shows the rows that it had before. A later batch may announce its recovery, and
  /// ``RefreshableSource/refresh()`` tries again.
  case failed(any Error)

  /// Whether the rows are there.
  public var isLoaded: Bool { if case .loaded = self { true } else { false } }
}
