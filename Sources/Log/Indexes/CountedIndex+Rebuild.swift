import RepriseLMDB
import RepriseObjectModel

extension CountedIndex {
  /// Neighbouring nodes of a level that are rebuilt together.
  struct NodeSpan {
    struct Node {
      var lower: [UInt8]
      var counts: Counts
    }

    var level: UInt8
    var nodes: [Node] = []
    /// The lower bound of the node after the span, if there is one.
    var upper: [UInt8]?
    var children: Int

    var isFirst: Bool { nodes.first?.lower.isEmpty ?? true }
  }

  /// The node, and as many nodes after it as are needed for the minimum number of children. If the level ends first,
  /// the rebuilt node is the last of its level and may be small. If no children are left, the rebuilt node is removed,
  /// and the node before it becomes the last.
  func span(_ level: UInt8, around lower: [UInt8], in view: View) throws(StorageError) -> NodeSpan {
    try withCursor(view) { cursor throws(StorageError) in
      var span = NodeSpan(level: level, children: 0)
      try scan(level, from: lower.span.bytes, &cursor) { (next, value) throws(StorageError) in
        if span.children >= fanOut.minimum {
          span.upper = [UInt8](copying: next)
          return false
        }
        let node = NodeSpan.Node(lower: [UInt8](copying: next), counts: try counts(value))
        span.nodes.append(node)
        span.children += node.counts.children
        return true
      }
      return span
    }
  }

  /// Builds a level that has no nodes yet.
  func build(_ level: UInt8, _ growth: Growth, in transaction: borrowing WriteTransaction) throws(StorageError) {
    let span = try withCursor(transaction.view) { cursor throws(StorageError) in
      var span = NodeSpan(level: level, children: 0)
      try scan(level - 1, from: RawSpan(), &cursor) { _, _ in
        span.children += 1
        return true
      }
      return span
    }
    _ = try rebuild(span, growth, in: transaction)
  }

  /// As ``rebuild(_:_:in:)``; also records the changes for the level above.
  func rebuild(
    _ span: NodeSpan, _ growth: Growth, noting changes: inout NodeChanges, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for node in span.nodes { changes.append(node.lower, rows: -node.counts.rows, children: -1) }
    for node in try rebuild(span, growth, in: transaction) {
      changes.append(node.lower, rows: node.counts.rows, children: 1)
    }
  }

  /// Recounts the level below the span, and replaces the span's nodes.
  private func rebuild(
    _ span: NodeSpan, _ growth: Growth, in transaction: borrowing WriteTransaction
  ) throws(StorageError) -> [NodeSpan.Node] {
    let nodes = try withCursor(transaction.view) { cursor throws(StorageError) in
      try recounted(span, growth, &cursor)
    }
    let kept = Set(nodes.map(\.lower))
    for old in span.nodes where !kept.contains(old.lower) {
      try remove(span.level, old.lower, in: transaction)
    }
    for node in nodes { try put(span.level, node.lower, node.counts, in: transaction) }
    return nodes
  }

  private func recounted(
    _ span: NodeSpan, _ growth: Growth, _ cursor: inout Cursor
  ) throws(StorageError) -> [NodeSpan.Node] {
    let sizes = sizes(span, growth)
    let start = span.nodes.first?.lower ?? []
    var nodes: [NodeSpan.Node] = []
    var lastOfNode: [UInt8] = []
    var children = 0
    try scan(span.level - 1, from: start.span.bytes, &cursor) { (child, value) throws(StorageError) in
      if let upper = span.upper, compareBytes(upper, child) <= 0 { return false }
      children += 1
      guard children <= span.children else { return false }
      if nodes.isEmpty {
        nodes.append(NodeSpan.Node(lower: start, counts: Counts(rows: 0, children: 0)))
      } else if nodes[nodes.count - 1].counts.children == sizes[nodes.count - 1] {
        let lower = span.level == 1 ? separator(lastOfNode, child) : [UInt8](copying: child)
        nodes.append(NodeSpan.Node(lower: lower, counts: Counts(rows: 0, children: 0)))
      }
      let node = nodes.count - 1
      nodes[node].counts.rows += span.level == 1 ? 1 : try counts(value).rows
      nodes[node].counts.children += 1
      if span.level == 1 && nodes[node].counts.children == sizes[node] { lastOfNode = [UInt8](copying: child) }
      return true
    }
    guard children == span.children else {
      throw damaged("a tree node on level \(span.level) has more or fewer children than it counts")
    }
    return nodes
  }

  /// The number of children of each new node.
  func sizes(_ span: NodeSpan, _ growth: Growth) -> [Int] {
    let total = span.children
    if total == 0 { return [] }
    if total <= fanOut.maximum { return [total] }
    let atEnd = growth.isAtEnd && span.upper == nil
    if atEnd || growth.isAtStart && span.isFirst {
      let full = (total - 1) / fanOut.dense
      let dense = [Int](repeating: fanOut.dense, count: full)
      let rest = [total - full * fanOut.dense]
      return atEnd ? dense + rest : rest + dense
    }
    let count = (total + fanOut.loose - 1) / fanOut.loose
    return (0..<count).map { total / count + ($0 < total % count ? 1 : 0) }
  }

  /// The shortest prefix of `right` that sorts after `left`; `right` must sort after `left`.
  func separator(_ left: [UInt8], _ right: RawSpan) -> [UInt8] {
    let right = [UInt8](copying: right)
    return [UInt8](right.prefix(left.sharedPrefix(with: right) + 1))
  }
}
