import RepriseLMDB
import RepriseObjectModel

/// Changes of an index at one position, applied to its history.
struct HistoryUpdate {
  let history: IndexHistory
  let position: Position
  /// The number of the next node.
  private var next: UInt32

  /// - Parameter made: The number of nodes that this position has made already.
  init(_ history: IndexHistory, at position: Position, made: UInt32 = 0) {
    self.history = history
    self.position = position
    next = made
  }

  /// A new node, with the lower bound of its keys and the number of its rows.
  typealias Piece = (lower: [UInt8], id: HistoryNodeID, rows: Int)

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
  func isWritten(
    _ node: borrowing HistoryNode, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    let bytes = node.encoded()
    if bytes.count > history.sizes.greatest, node.canShrink { return false }
    let key = history.key(node.id)
    try history.rows.put(transaction, key: key.span.bytes, value: bytes, replacing: node.storedSize)
    return true
  }

  /// Ends the span of a node. A node that this position made is removed, because no reader sees it.
  func replace(
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
  func present(_ nodes: [HistoryNode]) -> HistoryNode {
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
  mutating func divide(
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

  /// Adds a new node, with its lower bound and the number of its rows.
  mutating func add(_ id: HistoryNodeID, _ lower: [UInt8], _ count: Int, at position: Position) {
    children.append(
      Child(lower: append(key: lower.span.bytes), id: id, first: count, rows: count, last: position))
  }
}
