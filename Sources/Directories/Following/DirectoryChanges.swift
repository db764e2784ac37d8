import RepriseCore

/// The changes that a folder's follower reports to its source.
struct DirectoryChanges: Sendable {
  /// All rows, in the first report.
  var rows: SortedRows<DirectoryEntry>?
  var upserted: [ModelIdentifier: DirectoryEntry] = [:]
  var removed: Set<ModelIdentifier> = []
  /// The new load state. `nil` if it has not changed.
  var loadState: LoadState?
  /// The subfolders that the program may not list.
  var unreadable: [String] = []

  mutating func merge(_ later: DirectoryChanges) {
    if later.rows != nil { return self = later }
    loadState = later.loadState ?? loadState
    unreadable = later.unreadable
    if var rows {
      self.rows = nil
      _ = rows.apply(later.upserted.values, removing: later.removed)
      self.rows = rows
      return
    }
    for id in later.removed {
      upserted[id] = nil
      removed.insert(id)
    }
    for (id, entry) in later.upserted {
      removed.remove(id)
      upserted[id] = entry
    }
  }
}
