import RepriseLMDB

extension CountedIndex {
  /// Adds the changes of the level below to this level's nodes, splits and merges what left its bounds, and says what
  /// that changes for the level above.
  func recount(
    _ level: UInt8, _ changes: [NodeChange], _ growth: Growth, in transaction: borrowing WriteTransaction
  ) throws(IndexError) -> [NodeChange] {
    let touched = try touchedNodes(level, changes, in: transaction.view)
    var result: [NodeChange] = []
    for node in touched where node.rows != 0 || node.children != 0 {
      guard node.after.rows >= 0, 0...Int(UInt32.max) ~= node.after.children else {
        throw damaged("a node of level \(level) cannot have the counts that it has")
      }
      try put(level, node.lower, node.after, in: transaction)
      if node.rows != 0 { result.append(NodeChange(lower: node.lower, rows: node.rows, children: 0)) }
    }
    var rebuilt: [UInt8]?
    for node in touched where isOutOfBounds(node) {
      if let rebuilt, compareBytes(node.lower, rebuilt) <= 0 { continue }
      let span = try span(level, around: node.lower, in: transaction.view)
      rebuilt = span.nodes.last?.lower
      result += try rebuild(span, growth, in: transaction)
    }
    return rebuilt == nil ? result : combined(result)
  }

  private struct TouchedNode {
    var lower: [UInt8]
    var before: Counts
    var isLast: Bool
    var rows = 0
    var children = 0

    var after: Counts { Counts(rows: before.rows + rows, children: before.children + children) }
  }

  /// The first and the last node of a level may be small: that is where appending and prepending leave room.
  private func isOutOfBounds(_ node: TouchedNode) -> Bool {
    let children = node.after.children
    if children > fanOut.maximum || children == 0 { return true }
    return node.children < 0 && children < fanOut.minimum && !node.isLast && !node.lower.isEmpty
  }

  private func touchedNodes(
    _ level: UInt8, _ changes: [NodeChange], in view: View
  ) throws(IndexError) -> [TouchedNode] {
    try withCursor(view) { cursor throws(IndexError) in
      var result: [TouchedNode] = []
      var next = 0
      while next < changes.count {
        let first = changes[next].lower
        let touched = try node(level, covering: first.span.bytes, &cursor) { lower, counts, upper in
          var touched = TouchedNode(lower: [UInt8](copying: lower), before: counts, isLast: upper == nil)
          repeat {
            touched.rows += changes[next].rows
            touched.children += changes[next].children
            next += 1
            if let upper, next < changes.count, compareBytes(changes[next].lower, upper) >= 0 { break }
          } while next < changes.count
          return touched
        }
        guard let touched else { throw damaged("level \(level) has no node for a row") }
        result.append(touched)
      }
      return result
    }
  }

  /// In the order of their lower bounds, one of each; what came to nothing is left out.
  private func combined(_ changes: [NodeChange]) -> [NodeChange] {
    var result: [NodeChange] = []
    for change in changes.sorted(by: { compareBytes($0.lower, $1.lower) < 0 }) {
      if let last = result.indices.last, result[last].lower == change.lower {
        result[last].rows += change.rows
        result[last].children += change.children
      } else {
        result.append(change)
      }
    }
    result.removeAll { $0.rows == 0 && $0.children == 0 }
    return result
  }
}
