/// A data source that can prepare rows before they are shown, as `UICollectionViewDataSourcePrefetching` does.
public protocol PrefetchingSource<Element>: DataSource {
  /// Prepares rows that will probably be shown soon, and returns when that is done.
  ///
  /// This is only a hint. It reports no failure, and ignores paths without a row. It changes the rows of the list only
  /// through batches. If the rows will not be shown after all, cancel the task.
  nonisolated(nonsending) func prefetch(_ rows: [RowPath]) async
}
