/// A data source that can prepare for rows before they are shown, as `UICollectionViewDataSourcePrefetching` does.
public protocol PrefetchingSource<Element>: DataSource {
  /// Prepares for rows that will probably be shown soon, and returns once that is done. A hint: it changes the rows by
  /// batches at most, reports no failure, and ignores places without a row.
  ///
  /// Cancel the task when the rows will not be shown after all.
  nonisolated(nonsending) func prefetch(_ rows: [RowPath]) async
}
