import RepriseLMDB

extension IndexHistory {
  /// Removes the nodes and roots that no position from `first` on needs, at most `limit` rows. True if nothing is left
  /// to remove.
  package func drop(
    before first: Position, limit: Int, in transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    let replaced = try replaced(notAfter: first, limit: limit, transaction.view)
    for (id, position) in replaced {
      try delete(id, transaction)
      try transaction.delete(index.table, key: key(id, replacedAt: position).span.bytes)
    }
    if replaced.count == limit { return false }
    // The last root before the position is the one there.
    guard let kept = try rootRecord(at: first, transaction.view)?.from else { return true }
    let roots = try roots(before: kept, limit: limit, transaction.view)
    for position in roots { try transaction.delete(index.table, key: key(ofRoot: position).span.bytes) }
    return roots.count < limit
  }

  private func replaced(
    notAfter position: Position, limit: Int, _ view: View
  ) throws(StorageError) -> [(id: HistoryNodeID, position: Position)] {
    var found: [(id: HistoryNodeID, position: Position)] = []
    try forEachReplaced(view) { id, replacedAt in
      guard replacedAt <= position else { return false }
      found.append((id, replacedAt))
      return found.count < limit
    }
    return found
  }

  /// Calls `body` with each replaced node and the position of its replacement, by ascending positions, until it returns
  /// false.
  func forEachReplaced(_ view: View, _ body: (HistoryNodeID, Position) -> Bool) throws(StorageError) {
    var cursor = try view.cursor(index.table)
    var entry = try cursor.seek(prefix(.replaced).span.bytes)
    while let found = entry, holds(.replaced, found.key, size: 8 + Self.nodeIDSize) {
      let position = Self.position(found.key, at: Self.keyStart)
      guard body(Self.nodeID(found.key, at: Self.keyStart + 8), position) else { return }
      entry = try cursor.next()
    }
  }

  private func roots(before end: Position, limit: Int, _ view: View) throws(StorageError) -> [Position] {
    var found: [Position] = []
    var cursor = try view.cursor(index.table)
    var entry = try cursor.seek(prefix(.root).span.bytes)
    while found.count < limit, let root = entry, holds(.root, root.key, size: 8) {
      let position = Self.position(root.key, at: Self.keyStart)
      if position >= end { break }
      found.append(position)
      entry = try cursor.next()
    }
    return found
  }

  /// Removes a node. One that is missing is damage, which `verify` reports.
  private func delete(_ id: HistoryNodeID, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let key = key(id)
    let size = try rows.read(transaction.view, key: key.span.bytes) { (bytes) throws(StorageError) in bytes.count }
    if let size { try rows.delete(transaction, key: key.span.bytes, size: size) }
  }
}
