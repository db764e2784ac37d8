import RepriseLMDB

extension CountedIndex {
  /// Brings rows and counts up to date. The order of the changes does not matter, except among changes of one row:
  /// those follow each other. O(c log n) for c changes, one node rewritten a level and touched node.
  ///
  /// Throws `rowExists` or `rowMissing` for a change that does not fit the rows. After any error the transaction must
  /// be aborted.
  package func apply(
    _ changes: consuming [IndexChange], in transaction: borrowing WriteTransaction
  ) throws(IndexError) {
    var changes = changes
    if IndexChange.sort(&changes) { changes = try settled(changes, in: transaction.view) }
    guard !changes.isEmpty else { return }
    let top = try withCursor(transaction.view) { cursor throws(IndexError) in try root(&cursor)?.level ?? 0 }

    // A node is counted and split only when all below it is final: rows first, then level by level. So a split can
    // count again what it splits, from the entries themselves.
    var key = key(0, RawSpan())
    var appends = top == 0 && changes.allSatisfy(\.isInsert)
    if appends { appends = try isBehindAll(changes[0].rowKey, transaction.view) }
    for change in changes {
      key.removeLast(key.count - Self.prefixLength)
      key.append(contentsOf: change.rowKey)
      if appends { try append(key, in: transaction) } else { try applyToRows(change, key, in: transaction) }
    }
    let growth = try growth(after: changes, in: transaction.view)
    var pending = changes.map { change in
      NodeChange(lower: change.rowKey, rows: change.isInsert ? 1 : -1, children: change.isInsert ? 1 : -1)
    }
    var level: UInt8 = 1
    while true {
      if level > top {
        try build(level, growth, in: transaction)
      } else {
        pending = try recount(level, pending, growth, in: transaction)
      }
      switch try nodeCount(level, in: transaction.view) {
      case .none, .one: return try removeLevels(above: level, upTo: top, in: transaction)
      case .several where level < top && pending.isEmpty: return
      case .several: level += 1
      }
    }
  }

  /// How an entry of a level changed: what it adds to the node above it.
  struct NodeChange {
    var lower: [UInt8]
    var rows: Int
    var children: Int
  }

  /// Where the new rows lie. Nodes split there are filled densely, as few rows will come between.
  struct Growth {
    var isAtEnd: Bool
    var isAtStart: Bool
  }

  /// Sorted changes with at most one of each row: pairs that undo each other are left out.
  private func settled(_ changes: [IndexChange], in view: View) throws(IndexError) -> [IndexChange] {
    var result: [IndexChange] = []
    var start = 0
    while start < changes.count {
      let first = changes[start]
      var end = start + 1
      while end < changes.count && changes[end].rowKey == first.rowKey {
        if changes[end].isInsert == changes[end - 1].isInsert { throw refused(changes[end]) }
        end += 1
      }
      if (end - start) % 2 == 1 {
        result.append(first)
      } else if try contains(first.rowKey, in: view) == first.isInsert {
        throw refused(first)
      }
      start = end
    }
    return result
  }

  private func contains(_ rowKey: [UInt8], in view: View) throws(IndexError) -> Bool {
    do throws(LMDBError) { return try view.get(table, key: key(0, rowKey).span.bytes) != nil } catch {
      throw .storage(error)
    }
  }

  private func refused(_ change: IndexChange) -> IndexError {
    change.isInsert
      ? .rowExists(index: number, rowKey: change.rowKey) : .rowMissing(index: number, rowKey: change.rowKey)
  }

  /// Whether a row would be the last of the whole table, as it is where indexes are made one after the other.
  private func isBehindAll(_ rowKey: [UInt8], _ view: View) throws(IndexError) -> Bool {
    do throws(LMDBError) {
      var cursor = try view.cursor(table)
      guard let last = try cursor.last() else { return true }
      return compareBytes(last.key, key(0, rowKey).span.bytes) < 0
    } catch {
      throw .storage(error)
    }
  }

  private func append(_ key: [UInt8], in transaction: borrowing WriteTransaction) throws(IndexError) {
    do throws(LMDBError) {
      try transaction.append(table, key: key.span.bytes, value: RawSpan())
    } catch {
      throw .storage(error)
    }
  }

  private func applyToRows(
    _ change: IndexChange, _ key: [UInt8], in transaction: borrowing WriteTransaction
  ) throws(IndexError) {
    do throws(LMDBError) {
      if change.isInsert {
        try transaction.insert(table, key: key.span.bytes, value: RawSpan())
        return
      }
      if try transaction.delete(table, key: key.span.bytes) { return }
    } catch {
      if case .keyExists = error { throw refused(change) }
      throw .storage(error)
    }
    throw refused(change)
  }

  private func growth(after changes: [IndexChange], in view: View) throws(IndexError) -> Growth {
    try withCursor(view) { cursor throws(IndexError) in
      var growth = Growth(isAtEnd: false, isAtStart: false)
      if let last = changes.last, last.isInsert {
        try scanBackFromEnd(0, &cursor) { row, _ in
          growth.isAtEnd = compareBytes(last.rowKey, row) == 0
          return false
        }
      }
      if let first = changes.first, first.isInsert {
        try scan(0, from: RawSpan(), &cursor) { row, _ in
          growth.isAtStart = compareBytes(first.rowKey, row) == 0
          return false
        }
      }
      return growth
    }
  }

  private enum NodeCount {
    case none, one, several
  }

  private func nodeCount(_ level: UInt8, in view: View) throws(IndexError) -> NodeCount {
    try withCursor(view) { cursor throws(IndexError) in
      var result = NodeCount.none
      try scan(level, from: RawSpan(), &cursor) { _, _ in
        result = result == .none ? .one : .several
        return result == .one
      }
      return result
    }
  }

  private func removeLevels(
    above level: UInt8, upTo top: UInt8, in transaction: borrowing WriteTransaction
  ) throws(IndexError) {
    guard level < top else { return }
    for obsolete in level + 1...top {
      var nodes: [[UInt8]] = []
      try withCursor(transaction.view) { cursor throws(IndexError) in
        try scan(obsolete, from: RawSpan(), &cursor) { lower, _ in
          nodes.append([UInt8](copying: lower))
          return true
        }
      }
      for lower in nodes { try remove(obsolete, lower, in: transaction) }
    }
  }

  func put(
    _ level: UInt8, _ lower: [UInt8], _ counts: Counts, in transaction: borrowing WriteTransaction
  ) throws(IndexError) {
    do throws(LMDBError) {
      try transaction.put(table, key: key(level, lower).span.bytes, value: bytes(counts).span.bytes)
    } catch {
      throw .storage(error)
    }
  }

  func remove(_ level: UInt8, _ lower: [UInt8], in transaction: borrowing WriteTransaction) throws(IndexError) {
    do throws(LMDBError) { try transaction.delete(table, key: key(level, lower).span.bytes) } catch {
      throw .storage(error)
    }
  }
}
