import RepriseLMDB
import RepriseObjectModel

extension CountedIndex {
  /// Bulk-loads an empty index: writes every row and every node once.
  func fill(_ rows: IndexChanges, in transaction: borrowing WriteTransaction) throws(StorageError) {
    let isLast = try isBehindAll(rows, transaction.view)
    var cursor = try transaction.writeCursor(table)
    let keys = rows.keys.span.bytes
    for row in rows.changes { try put(keys.extracting(row.range), RawSpan(), isLast, &cursor) }
    var nodes: [NodeSpan.Node] = []
    var start = 0
    for size in sizes(newLevel(1, of: rows.count), .atBothEnds) {
      let lower = start == 0 ? [] : separator(rows.rowKey(start - 1), rows.rowKey(start).span.bytes)
      nodes.append(NodeSpan.Node(lower: lower, counts: Counts(rows: size, children: size)))
      start += size
    }
    var level: UInt8 = 1
    while true {
      for node in nodes { try put(key(level, node.lower).span.bytes, bytes(node.counts).span.bytes, isLast, &cursor) }
      if nodes.count == 1 { return }
      level += 1
      nodes = above(nodes, level)
    }
  }

  private func above(_ children: [NodeSpan.Node], _ level: UInt8) -> [NodeSpan.Node] {
    var rest = children[...]
    return sizes(newLevel(level, of: children.count), .atBothEnds).map { size in
      let own = rest.prefix(size)
      rest = rest.dropFirst(size)
      let rows = own.reduce(0) { $0 + $1.counts.rows }
      return NodeSpan.Node(lower: own.first?.lower ?? [], counts: Counts(rows: rows, children: size))
    }
  }

  private func newLevel(_ level: UInt8, of children: Int) -> NodeSpan { NodeSpan(level: level, children: children) }

  private func put(_ key: RawSpan, _ value: RawSpan, _ isLast: Bool, _ cursor: inout WriteCursor) throws(StorageError) {
    if isLast { try cursor.append(key: key, value: value) } else { try cursor.insert(key: key, value: value) }
  }

  /// Whether the rows sort after all rows of the table, as when indexes are built one after the other.
  private func isBehindAll(_ rows: IndexChanges, _ view: View) throws(StorageError) -> Bool {
    var cursor = try view.cursor(table)
    guard let first = rows.changes.first, let last = try cursor.last() else { return true }
    return compareBytes(last.key, rows.keys.span.bytes.extracting(first.range)) < 0
  }
}
