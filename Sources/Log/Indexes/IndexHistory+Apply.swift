import RepriseLMDB
import RepriseObjectModel

extension IndexHistory {
  /// Adds the changes of saves, each at its position. Does nothing if the history has not begun. After any error the
  /// transaction must be aborted.
  ///
  /// Costs a node on each level for each changed row, as in the index itself.
  package func apply(
    _ changes: borrowing IndexChanges, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    if let building = try building(transaction.view) {
      // At any position: nothing reads it yet.
      for place in changes.saves.indices {
        var part = changes.part(ofSave: place)
        part.keepNet(before: building.next)
        try add(part, in: transaction)
      }
      return
    }
    for (place, save) in changes.saves.enumerated() {
      guard let root = try root(at: save.position, transaction.view) else { return }
      var part = changes.part(ofSave: place)
      part.keepNet()
      if part.isEmpty { continue }
      var update = HistoryUpdate(self, at: save.position)
      let next = try update.run(part, root, transaction)
      if next != root { try put(root: next, from: save.position, transaction) }
    }
  }
}

/// Changes of an index at one position, applied to its history.
struct HistoryUpdate {
  private let history: IndexHistory
  private let position: Position
  /// The number of the next node.
  private var next: UInt32

  /// - Parameter made: The number of nodes that this position has made already.
  init(_ history: IndexHistory, at position: Position, made: UInt32 = 0) {
    self.history = history
    self.position = position
    next = made
  }

  private typealias Piece = (lower: [UInt8], id: HistoryNodeID, rows: Int)

  /// Applies sorted changes, at most one of each row. Returns the root from the position on.
  mutating func run(
    _ changes: borrowing IndexChanges, _ root: HistoryNodeID, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> HistoryNodeID {
    var node = try history.node(root, level: nil, transaction.view)
    guard try update(&node, changes, 0..<changes.count, transaction) else { return root }
    if try isWritten(node, transaction) {
      return node.hasOneChild ? try withoutNeedlessLevels(root, transaction) : root
    }
    var pieces = try divide(present([node]), [], transaction)
    try replace(node, transaction)
    var level = node.level
    while pieces.count > 1 {
      level += 1
      guard level < HistoryEntries.levels else { throw history.damaged("it has too many levels") }
      pieces = try divide(parent(of: pieces, level), [], transaction)
    }
    return try withoutNeedlessLevels(pieces[0].id, transaction)
  }

  /// The root, or the node below it that is the only one on its level.
  private func withoutNeedlessLevels(
    _ root: HistoryNodeID, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> HistoryNodeID {
    var root = root
    while true {
      let node = try history.node(root, level: nil, transaction.view)
      guard node.hasOneChild, let child = node.children.first(where: { $0.died == nil }) else { return root }
      try replace(node, transaction)
      root = child.id
    }
  }

  // MARK: Nodes

  /// Writes a changed node to its place. False if it must be replaced, and nothing is written.
  private func isWritten(
    _ node: borrowing HistoryNode, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    let bytes = node.encoded()
    if bytes.count > history.sizes.greatest, node.canShrink { return false }
    let key = history.key(node.id)
    try history.rows.put(transaction, key: key.span.bytes, value: bytes, replacing: node.storedSize)
    return true
  }

  /// Ends the span of a node. One of this position is in no past, and removed.
  private func replace(
    _ node: borrowing HistoryNode, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    if node.id.born == position {
      let key = history.key(node.id)
      try history.rows.delete(transaction, key: key.span.bytes, size: node.storedSize)
    } else {
      let key = history.key(node.id, replacedAt: position)
      try transaction.put(history.index.table, key: key.span.bytes, value: RawSpan())
    }
  }

  private mutating func newNode(level: UInt8) -> HistoryNode {
    defer { next += 1 }
    return HistoryNode(HistoryNodeID(born: position, number: next), level: level)
  }

  /// The present entries of neighbours, in a node that is not written.
  private func present(_ nodes: [HistoryNode]) -> HistoryNode {
    var result = HistoryNode(HistoryNodeID(born: position, number: 0), level: nodes[0].level)
    for node in nodes { result.add(node, at: position) }
    return result
  }

  private func parent(of pieces: [Piece], _ level: UInt8) -> HistoryNode {
    var result = HistoryNode(HistoryNodeID(born: position, number: 0), level: level)
    for piece in pieces { result.add(piece.id, piece.lower, piece.rows, at: position) }
    return result
  }

  /// Writes present entries to new nodes of about equal sizes.
  ///
  /// - Parameter lower: The lower bound of the first one.
  private mutating func divide(
    _ entries: HistoryNode, _ lower: [UInt8], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> [Piece] {
    var pieces: [Piece] = []
    var start = 0
    for end in ends(entries) {
      var node = newNode(level: entries.level)
      node.add(entries, start..<end)
      var bound = lower
      if start > 0 {
        bound =
          entries.level == 0
          ? entries.separator(entries.rows[start - 1].key, entries.rows[start].key)
          : entries.key(entries.children[start].lower)
      }
      let (key, bytes) = (history.key(node.id), node.encoded())
      try history.rows.put(transaction, key: key.span.bytes, value: bytes, replacing: 0)
      pieces.append((bound, node.id, node.count))
      start = end
    }
    return pieces
  }

  /// Where the entries are divided: the end of each part. Parts above level 0 have two entries at least, so that each
  /// level has fewer nodes than the one below.
  private func ends(_ entries: HistoryNode) -> [Int] {
    let weights = entries.weights
    let total = weights.reduce(0, +)
    let least = entries.level == 0 ? 1 : 2
    var parts = total <= history.sizes.mostOfOne ? 1 : (total + history.sizes.wanted - 1) / history.sizes.wanted
    parts = max(1, min(parts, weights.count / least))
    var ends: [Int] = []
    var (start, done) = (0, 0)
    for (place, weight) in weights.enumerated() {
      // Ends a part where the sum is nearest to its share.
      if ends.count < parts - 1, place - start >= least, weights.count - place >= least,
        (done + weight / 2) * parts > total * (ends.count + 1)
      {
        ends.append(place)
        start = place
      }
      done += weight
    }
    return ends + [weights.count]
  }

  // MARK: Changes

  /// Applies some of the changes to a node and all nodes below. The node is not written. Returns whether it changed.
  private mutating func update(
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
    if start < range.upperBound { throw history.damaged("a node of level \(node.level) has no child for a row") }
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

  /// Replaces children, with neighbours where they have too few entries.
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
  /// Whether only one child is present.
  fileprivate var hasOneChild: Bool { level > 0 && children.reduce(0) { $0 + ($1.died == nil ? 1 : 0) } == 1 }

  /// Adds the present entries of another node, from a position on.
  fileprivate mutating func add(_ other: HistoryNode, at position: Position) {
    for row in other.rows where row.to == nil {
      rows.append(Row(key: append(key: other.keys.span.bytes.extracting(row.key)), from: position, to: nil))
    }
    for child in other.children where child.died == nil { add(child, of: other, at: position) }
  }

  /// Adds some entries of another node, which are all present.
  fileprivate mutating func add(_ other: HistoryNode, _ range: Range<Int>) {
    if level == 0 {
      for row in other.rows[range] {
        rows.append(Row(key: append(key: other.keys.span.bytes.extracting(row.key)), from: row.from, to: nil))
      }
    } else {
      for child in other.children[range] { add(child, of: other, at: child.last) }
    }
  }

  private mutating func add(_ child: Child, of other: HistoryNode, at position: Position) {
    let lower = append(key: other.keys.span.bytes.extracting(child.lower))
    children.append(Child(lower: lower, id: child.id, first: child.rows, rows: child.rows, last: position))
  }

  fileprivate mutating func add(_ id: HistoryNodeID, _ lower: [UInt8], _ count: Int, at position: Position) {
    children.append(
      Child(lower: append(key: lower.span.bytes), id: id, first: count, rows: count, last: position))
  }

  /// Ends the entries of children that were replaced. Those of this position are in no past, and removed.
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
