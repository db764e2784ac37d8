import RepriseLMDB
import RepriseObjectModel

extension CountedIndex {
  /// Adds the changes of the level below to this level's nodes, and splits and merges nodes that are out of bounds.
  /// Returns the changes for the level above.
  func recount(
    _ level: UInt8, _ changes: NodeChanges, _ growth: Growth, in transaction: borrowing WriteTransaction
  ) throws(StorageError) -> NodeChanges {
    let touched = try touchedNodes(level, changes, in: transaction.view)
    var result = NodeChanges()
    for node in touched where node.rows != 0 || node.children != 0 {
      guard node.after.rows >= 0, 0...Int(UInt32.max) ~= node.after.children else {
        throw damaged("a tree node on level \(level) has impossible counts")
      }
      try put(level, node.lower, node.after, in: transaction)
      if node.rows != 0 { result.append(node.lower, rows: node.rows, children: 0) }
    }
    var rebuilt: [UInt8]?
    for node in touched where isOutOfBounds(node) {
      if let rebuilt, compareBytes(node.lower, rebuilt) <= 0 { continue }
      let span = try span(level, around: node.lower, in: transaction.view)
      rebuilt = span.nodes.last?.lower
      try rebuild(span, growth, noting: &result, in: transaction)
    }
    if rebuilt != nil { result.combine() }
    return result
  }

  private struct TouchedNode {
    var lower: [UInt8]
    var before: Counts
    var isLast: Bool
    var rows = 0
    var children = 0

    var after: Counts { Counts(rows: before.rows + rows, children: before.children + children) }
  }

  /// The first and the last node of a level may be small: prepending and appending leave the remainder there.
  private func isOutOfBounds(_ node: TouchedNode) -> Bool {
    let children = node.after.children
    if children > fanOut.maximum || children == 0 { return true }
    return node.children < 0 && children < fanOut.minimum && !node.isLast && !node.lower.isEmpty
  }

  private func touchedNodes(
    _ level: UInt8, _ changes: NodeChanges, in view: View
  ) throws(StorageError) -> [TouchedNode] {
    try withCursor(view) { cursor throws(StorageError) in
      var result: [TouchedNode] = []
      var next = 0
      let lowers = changes.lowers.span.bytes
      let changes = changes.changes
      while next < changes.count {
        let first = lowers.extracting(changes[next].lower)
        let touched = try node(level, covering: first, &cursor) { lower, counts, upper in
          var touched = TouchedNode(lower: [UInt8](copying: lower), before: counts, isLast: upper == nil)
          repeat {
            touched.rows += changes[next].rows
            touched.children += changes[next].children
            next += 1
            guard let upper, next < changes.count else { continue }
            if compareBytes(lowers.extracting(changes[next].lower), upper) >= 0 { break }
          } while next < changes.count
          return touched
        }
        guard let touched else { throw damaged("level \(level) of the tree has no node for a row") }
        result.append(touched)
      }
      return result
    }
  }
}
