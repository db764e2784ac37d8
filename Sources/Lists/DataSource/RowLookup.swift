/// The row of an object, or why there is none.
public enum RowLookup: Hashable, Sendable {
  /// The object has this row.
  case row(RowPath)
  /// The object does not exist, or not any more.
  case deleted
  /// The object exists, but the list's condition, limit or model leaves it out.
  case filteredOut
  /// The identifier does not belong to this list's store.
  case foreignStore
  /// The list cannot tell yet: it is not ready, or the object came after the last batch. Ask again after the next one.
  case notLoaded

  /// The row, if there is one.
  public var path: RowPath? { if case .row(let path) = self { path } else { nil } }
}
