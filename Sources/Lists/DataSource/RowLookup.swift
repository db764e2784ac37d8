/// The row of an object, or the reason why it has none.
public enum RowLookup: Equatable, Sendable {
  /// The row of the object.
  case row(RowPath)
  /// The object does not exist, or no longer does.
  case deleted
  /// The object exists, but the list's condition, limit or model excludes it.
  case filteredOut
  /// The identifier does not belong to this list's store.
  case foreignStore
  /// Not known yet: the list is not loaded, or the object is newer than the last batch.
  ///
  /// Ask again after the next batch.
  case notLoaded

  /// The row, or `nil` if there is none.
  public var path: RowPath? { if case .row(let path) = self { path } else { nil } }
}
