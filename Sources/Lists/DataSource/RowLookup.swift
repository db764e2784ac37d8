/// Where the row of an object is, or why there is none.
public enum RowLookup: Hashable, Sendable {
  /// It stands here.
  case row(RowPath)
  /// The object does not exist, or not any more.
  case deleted
  /// The object exists, and the list shows others: its condition, limit or model leaves this one out.
  case filteredOut
  /// The identifier is no object's of this list's store.
  case foreignStore
  /// The list cannot tell yet: it is not ready, or the object came after the last batch. Ask again after the next one.
  case notLoaded

  /// The row, if there is one.
  public var path: RowPath? { if case .row(let path) = self { path } else { nil } }
}
