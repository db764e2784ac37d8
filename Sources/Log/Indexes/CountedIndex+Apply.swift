import RepriseLMDB
import RepriseObjectModel

extension CountedIndex {
  /// Applies changes to rows and counts. Their order matters only among changes of one row. O(c log n) for c changes:
  /// each touched node of each level is rewritten once.
  ///
  /// Inserting a row that exists or deleting one that does not is damage. After any error the transaction must be
  /// aborted.
  package func apply(
    _ changes: consuming IndexChanges, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var changes = changes
    if changes.sort() { try settle(&changes, in: transaction.view) }
    guard !changes.isEmpty else { return }
    let top = try withCursor(transaction.view) { cursor throws(StorageError) in try root(&cursor)?.level ?? 0 }
    if top == 0 && changes.areInsertions { return try fill(changes, in: transaction) }

    // Bottom-up, rows first. A node is counted and split only after all entries below it are final, so a split can
    // recount its node from the entries.
    if changes.areInsertions {
      try changes.insert(into: table, transaction)
    } else {
      try changeRows(changes, in: transaction)
    }
    let growth = try growth(after: changes, in: transaction.view)
    var pending = NodeChanges(changes)
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

  /// Whether the new rows are at an end of the index. Nodes split there are filled densely, as few rows will come in
  /// between.
  struct Growth {
    var isAtEnd: Bool
    var isAtStart: Bool

    static let atBothEnds = Growth(isAtEnd: true, isAtStart: true)
  }

  /// Reduces the changes to at most one for each row. Pairs that cancel out are removed.
  private func settle(_ changes: inout IndexChanges, in view: View) throws(StorageError) {
    var left: [Int] = []
    var start = 0
    while start < changes.count {
      let isInsert = changes.changes[start].isInsert
      var end = start + 1
      while end < changes.count && changes.isSameRow(start, end) {
        if changes.changes[end].isInsert == changes.changes[end - 1].isInsert { throw changes.refused(end, by: table) }
        end += 1
      }
      if (end - start) % 2 == 1 {
        left.append(start)
      } else if try contains(changes.keys.span.bytes.extracting(changes.changes[start].range), in: view) == isInsert {
        throw changes.refused(start, by: table)
      }
      start = end
    }
    changes.keep(left)
  }

  private func contains(_ key: RawSpan, in view: View) throws(StorageError) -> Bool {
    try view.get(table, key: key) != nil
  }

  private func changeRows(_ changes: IndexChanges, in transaction: borrowing WriteTransaction) throws(StorageError) {
    let keys = changes.keys.span.bytes
    for place in changes.changes.indices {
      let change = changes.changes[place]
      let key = keys.extracting(change.range)
      do throws(StorageError) {
        if change.isInsert {
          try transaction.insert(table, key: key, value: RawSpan())
        } else if !(try transaction.delete(table, key: key)) {
          throw changes.refused(place, by: table)
        }
      } catch .keyExists {
        throw changes.refused(place, by: table)
      }
    }
  }

  private func growth(after changes: IndexChanges, in view: View) throws(StorageError) -> Growth {
    try withCursor(view) { cursor throws(StorageError) in
      var growth = Growth(isAtEnd: false, isAtStart: false)
      let keys = changes.keys.span.bytes
      if let last = changes.changes.last, last.isInsert {
        let lastKey = keys.extracting(last.rowKey)
        try scanBackFromEnd(0, &cursor) { row, _ in
          growth.isAtEnd = compareBytes(lastKey, row) == 0
          return false
        }
      }
      if let first = changes.changes.first, first.isInsert {
        let firstKey = keys.extracting(first.rowKey)
        try scan(0, from: RawSpan(), &cursor) { row, _ in
          growth.isAtStart = compareBytes(firstKey, row) == 0
          return false
        }
      }
      return growth
    }
  }

  private enum NodeCount {
    case none, one, several
  }

  private func nodeCount(_ level: UInt8, in view: View) throws(StorageError) -> NodeCount {
    try withCursor(view) { cursor throws(StorageError) in
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
  ) throws(StorageError) {
    guard level < top else { return }
    for obsolete in level + 1...top {
      var nodes: [[UInt8]] = []
      try withCursor(transaction.view) { cursor throws(StorageError) in
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
  ) throws(StorageError) {
    try transaction.put(table, key: key(level, lower).span.bytes, value: bytes(counts).span.bytes)
  }

  func remove(_ level: UInt8, _ lower: [UInt8], in transaction: borrowing WriteTransaction) throws(StorageError) {
    try transaction.delete(table, key: key(level, lower).span.bytes)
  }
}
