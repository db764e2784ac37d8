import RepriseLMDB
import RepriseObjectModel

extension HistoryUpdate {
  /// Applies some of the changes to a node and all nodes below. The node is not written. Returns whether it changed.
  mutating func update(
    _ node: inout HistoryNode, _ changes: borrowing IndexChanges, _ range: Range<Int>,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    if node.level == 0 {
      try updateRows(&node, changes, range)
      return true
    }
    var isChanged = false
    let present = node.children.indices.filter { node.children[$0].died == nil }
    // By place in `present`: changed nodes that are not written, because they must be replaced.
    var unwritten: [Int: HistoryNode] = [:]
    var start = range.lowerBound
    for (place, child) in present.enumerated() where start < range.upperBound {
      var end = range.upperBound
      if place + 1 < present.count {
        end = start
        let upper = node.children[present[place + 1]].lower
        let keys = changes.keys.span.bytes
        while end < range.upperBound, node.compare(upper, keys.extracting(changes.changes[end].rowKey)) > 0 { end += 1 }
      }
      if start == end { continue }
      var below = try history.node(node.children[child].id, level: node.level - 1, transaction.view)
      defer { start = end }
      guard try update(&below, changes, start..<end, transaction) else { continue }
      guard below.weight >= history.sizes.least, try isWritten(below, transaction) else {
        unwritten[place] = below
        continue
      }
      let rows = below.count
      if rows != node.children[child].rows {
        node.children[child].set(rows, at: position)
        isChanged = true
      }
    }
    if start < range.upperBound { throw history.damaged("a tree node on level \(node.level) has no child for a row") }
    if unwritten.isEmpty { return isChanged }
    try replaceChildren(of: &node, present, unwritten, transaction)
    return true
  }

  private func updateRows(
    _ node: inout HistoryNode, _ changes: borrowing IndexChanges, _ range: Range<Int>
  ) throws(StorageError) {
    var rows: [HistoryNode.Row] = []
    rows.reserveCapacity(node.rows.count + range.count)
    var place = 0
    for change in range {
      let key = changes.keys.span.bytes.extracting(changes.changes[change].rowKey)
      while place < node.rows.count, node.compare(node.rows[place].key, key) < 0 {
        rows.append(node.rows[place])
        place += 1
      }
      var present: Int?
      while place < node.rows.count, node.compare(node.rows[place].key, key) == 0 {
        if node.rows[place].to == nil { present = rows.count }
        rows.append(node.rows[place])
        place += 1
      }
      guard changes.changes[change].isInsert == (present == nil) else {
        throw changes.refused(change, by: history.index.table)
      }
      if let present {
        if rows[present].from == position { rows.remove(at: present) } else { rows[present].to = position }
      } else {
        rows.append(HistoryNode.Row(key: node.append(key: key), from: position, to: nil))
      }
    }
    rows += node.rows[place...]
    node.rows = rows
  }

  /// Replaces children. A child with too few entries is replaced together with its neighbours.
  ///
  /// - Parameters:
  ///   - present: The places of the present children.
  ///   - unwritten: The children to replace, by their places in `present`.
  private mutating func replaceChildren(
    of node: inout HistoryNode, _ present: [Int], _ unwritten: [Int: HistoryNode],
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var loaded = unwritten
    let view = transaction.view
    let level = node.level - 1
    let ids = present.map { node.children[$0].id }
    func load(_ place: Int) throws(StorageError) -> HistoryNode {
      if let known = loaded[place] { return known }
      let found = try history.node(ids[place], level: level, view)
      loaded[place] = found
      return found
    }
    var pieces: [Piece] = []
    var replaced: Set<Int> = []
    var done = -1
    for place in unwritten.keys.sorted() where place > done {
      var (first, last) = (place, place)
      var weight = try load(place).weight
      while weight < 2 * history.sizes.least {
        if last + 1 < present.count {
          last += 1
          weight += try load(last).weight
        } else if first - 1 > done {
          first -= 1
          weight += try load(first).weight
        } else {
          break
        }
      }
      var nodes: [HistoryNode] = []
      for place in first...last {
        nodes.append(try load(place))
        replaced.insert(present[place])
      }
      let lower = node.key(node.children[present[first]].lower)
      pieces += try divide(self.present(nodes), lower, transaction)
      for node in nodes { try replace(node, transaction) }
      done = last
    }
    node.replace(replaced, at: position)
    for piece in pieces { node.add(piece.id, piece.lower, piece.rows, at: position) }
    node.sortChildren()
  }
}

extension HistoryNode {
  /// Ends the entries of children that were replaced. A child that this position made is removed, because no reader
  /// sees it.
  fileprivate mutating func replace(_ places: Set<Int>, at position: Position) {
    for place in places where children[place].id.born != position { children[place].died = position }
    let removed = places.filter { children[$0].id.born == position }
    if removed.isEmpty { return }
    children = children.indices.filter { !removed.contains($0) }.map { children[$0] }
  }

  fileprivate mutating func sortChildren() {
    let keys = self.keys
    children.sort { left, right in
      let order = compareBytes(keys.span.bytes.extracting(left.lower), keys.span.bytes.extracting(right.lower))
      if order != 0 { return order < 0 }
      return (left.id.born, left.id.number) < (right.id.born, right.id.number)
    }
  }
}
