import RepriseLMDB
import RepriseObjectModel

extension IndexHistory {
  /// Verifies the structure of a history: nodes, spans, bounds and counts. Sums its rows, to compare them with the log.
  /// Reads each node twice, and keeps the counts of one level in memory.
  ///
  /// - Parameters:
  ///   - first: The first position to verify. Earlier nodes may be there, and are not looked at.
  ///   - limit: The most problems to report.
  package func verify(
    from first: Position, in view: View, limit: Int = 100
  ) throws(StorageError) -> (problems: [HistoryProblem], sum: RowSum) {
    var check = HistoryCheck(self, from: first)
    try check.run(view)
    return (Array(check.problems.prefix(limit)), check.sum)
  }

  /// The rows of the table that belong to a history, by their kinds.
  fileprivate struct Content {
    /// By ascending positions.
    var roots: [(from: Position, id: HistoryNodeID)] = []
    var nodes: [HistoryNodeID] = []
    /// The position of the replacement of each replaced node.
    var replaced: [HistoryNodeID: Position] = [:]
    var strayKeys: [[UInt8]] = []
  }

  fileprivate func content(_ view: View) throws(StorageError) -> Content {
    var content = Content()
    var positions: [Position] = []
    var cursor = try view.cursor(index.table)
    var entry = try cursor.seek(index.key(Self.level, RawSpan()).span.bytes)
    while let found = entry, index.holds(Self.level, found.key) {
      let key = found.key
      let rest = key.byteCount - Self.keyStart
      if holds(.root, key, size: 8) {
        positions.append(Self.position(key, at: Self.keyStart))
      } else if holds(.node, key), rest >= Self.nodeIDSize + 2 {
        let id = Self.nodeID(key, at: Self.keyStart)
        // A node may take several rows.
        if content.nodes.last != id { content.nodes.append(id) }
      } else if holds(.replaced, key, size: 8 + Self.nodeIDSize), found.value.byteCount == 0 {
        content.replaced[Self.nodeID(key, at: Self.keyStart + 8)] = Self.position(key, at: Self.keyStart)
      } else if !holds(.building, key, size: 0) {
        content.strayKeys.append([UInt8](copying: key))
      }
      entry = try cursor.next()
    }
    if let building = try building(view) {
      content.roots = [(building.start, building.root)]
    } else {
      for position in positions {
        if let root = try root(at: position, view) { content.roots.append((position, root)) }
      }
    }
    return content
  }
}

/// The progress of a verification, level by level from below.
private struct HistoryCheck {
  private let history: IndexHistory
  private let first: Position
  private(set) var problems: [HistoryProblem] = []
  private(set) var sum = RowSum()
  private var content = IndexHistory.Content()
  /// The nodes of the level below.
  private var below: [HistoryNodeID: Facts] = [:]

  /// The facts of a node that the level above must agree with.
  private struct Facts {
    /// The number of rows from each of these positions on.
    var counts: [(from: Position, rows: Int)] = []
    var least: [UInt8]?
    var greatest: [UInt8]?
    var isReferred = false
  }

  init(_ history: IndexHistory, from first: Position) {
    self.history = history
    self.first = first
  }

  private mutating func found(_ problem: HistoryProblem) {
    if problems.count < 100, !problems.contains(problem) { problems.append(problem) }
  }

  mutating func run(_ view: View) throws(StorageError) {
    content = try history.content(view)
    for key in content.strayKeys { found(.row(key)) }
    verifyRoots()
    var nodes: [UInt8: [HistoryNodeID]] = [:]
    for id in content.nodes where isNeeded(id) {
      do throws(StorageError) {
        nodes[try history.node(id, level: nil, view).level, default: []].append(id)
      } catch {
        guard let reason = error.damage else { throw error }
        found(.unreadable(reason: reason))
      }
    }
    let known = Set(content.nodes)
    for root in content.roots where isNeeded(root.id) && !known.contains(root.id) { found(.missingNode(root.id)) }
    for id in content.replaced.keys where isNeeded(id) && !known.contains(id) { found(.missingNode(id)) }
    let roots = Set(content.roots.map(\.id))
    for level in 0...(nodes.keys.max() ?? 0) {
      var facts: [HistoryNodeID: Facts] = [:]
      for id in nodes[level] ?? [] {
        let node = try history.node(id, level: level, view)
        facts[id] = level == 0 ? rowFacts(node) : childFacts(node)
        if roots.contains(id) { facts[id]?.isReferred = true }
      }
      for (id, facts) in below where !facts.isReferred { found(.strayNode(id)) }
      below = facts
    }
    for (id, facts) in below where !facts.isReferred { found(.strayNode(id)) }
  }

  /// The end of a node's span. `nil` if the node is present.
  private func end(_ id: HistoryNodeID) -> Position? { content.replaced[id] }

  /// Whether the node belongs to a position that is verified.
  private func isNeeded(_ id: HistoryNodeID) -> Bool { end(id).map { $0 > first } ?? true }

  private mutating func verifyRoots() {
    for (place, root) in content.roots.enumerated() {
      let next = place + 1 < content.roots.count ? content.roots[place + 1].from : nil
      if let next, next <= first { continue }
      if root.id.born > root.from || end(root.id) != next { found(.span(root.id)) }
    }
  }

  // MARK: Nodes

  private mutating func rowFacts(_ node: HistoryNode) -> Facts {
    var differences: [Position: Int] = [:]
    var facts = Facts()
    let keys = node.keys.span.bytes
    let end = end(node.id)
    for row in node.rows {
      differences[row.from, default: 0] += 1
      if let to = row.to { differences[to, default: 0] -= 1 }
      let start = max(row.from, first)
      let last = row.to ?? end
      if let last, last <= start { continue }
      sum.begin(keys.extracting(row.key), at: start)
      if let last { sum.end(keys.extracting(row.key), at: last) }
    }
    if let row = node.rows.first { facts.least = node.key(row.key) }
    if let row = node.rows.last { facts.greatest = node.key(row.key) }
    facts.counts = Self.counts(differences)
    return facts
  }

  private mutating func childFacts(_ node: HistoryNode) -> Facts {
    var differences: [Position: Int] = [:]
    var facts = Facts()
    for (place, child) in node.children.enumerated() {
      let counts = Self.counts(of: child, in: node)
      var last = 0
      for (position, rows) in counts {
        differences[position, default: 0] += rows - last
        last = rows
      }
      if let died = child.died { differences[died, default: 0] -= last }
      if child.died.map({ $0 <= first }) ?? false { continue }
      guard let other = below[child.id] else {
        found(content.nodes.contains(child.id) ? .level(child.id) : .missingNode(child.id))
        continue
      }
      if outlasts(node.id, child.id) { below[child.id]?.isReferred = true }
      if !agrees(child, node) { found(.span(child.id)) }
      let start = max(first, max(node.id.born, child.id.born))
      let end = [end(child.id), end(node.id)].compactMap(\.self).min() ?? Position(.max)
      if !Self.isSame(counts, other.counts, from: start, to: end) { found(.counts(child.id)) }
      if !isInRange(other, place, node) { found(.bounds(child.id)) }
      for key in [other.least, other.greatest].compactMap(\.self) {
        if facts.least.map({ key.precedes($0) }) ?? true { facts.least = key }
        if facts.greatest.map({ $0.precedes(key) }) ?? true { facts.greatest = key }
      }
    }
    facts.counts = Self.counts(differences)
    return facts
  }

  /// Whether an entry ends where the child was replaced, unless the node itself was replaced before.
  private func agrees(_ child: HistoryNode.Child, _ node: HistoryNode) -> Bool {
    guard let replaced = end(child.id) else { return child.died == nil }
    if let died = child.died { return died == replaced }
    return end(node.id).map { $0 <= replaced } ?? false
  }

  /// Whether a node does not end before a child. At the last position of a node, another node leads to it.
  private func outlasts(_ node: HistoryNodeID, _ child: HistoryNodeID) -> Bool {
    guard let last = end(node) else { return true }
    return end(child).map { $0 <= last } ?? false
  }

  /// Whether a child has rows from its lower bound on, and before the next bound of its time.
  private func isInRange(_ facts: Facts, _ place: Int, _ node: HistoryNode) -> Bool {
    guard let least = facts.least, let greatest = facts.greatest else { return true }
    let child = node.children[place]
    if node.compare(child.lower, least.span.bytes) > 0 { return false }
    let lower = node.key(child.lower)
    return node.children[(place + 1)...].allSatisfy { other in
      guard node.compare(other.lower, lower.span.bytes) > 0,
        child.died.map({ other.id.born < $0 }) ?? true, other.died.map({ child.id.born < $0 }) ?? true
      else { return true }
      return node.compare(other.lower, greatest.span.bytes) > 0
    }
  }

  // MARK: Counts

  private static func counts(_ differences: [Position: Int]) -> [(from: Position, rows: Int)] {
    var rows = 0
    return differences.sorted { $0.key < $1.key }.map { position, difference in
      rows += difference
      return (position, rows)
    }
  }

  private static func counts(of child: HistoryNode.Child, in node: HistoryNode) -> [(from: Position, rows: Int)] {
    var last = max(node.id.born, child.id.born)
    var counts = [(from: last, rows: child.first)]
    child.history.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      // They were read without an error when the node was decoded.
      while let distance = try? reader.varint(), let difference = try? reader.signedVarint() {
        last = Position(last.number &+ distance)
        counts.append((last, counts[counts.count - 1].rows + Int(difference)))
      }
    }
    return counts
  }

  /// Whether two sequences count the same rows at each position in a range.
  private static func isSame(
    _ left: [(from: Position, rows: Int)], _ right: [(from: Position, rows: Int)], from start: Position,
    to end: Position
  ) -> Bool {
    func changes(_ counts: [(from: Position, rows: Int)]) -> [(Position, Int)] {
      var result: [(Position, Int)] = [(start, 0)]
      for (position, rows) in counts where position < end {
        if position <= start {
          result[0].1 = rows
        } else if rows != result[result.count - 1].1 {
          result.append((position, rows))
        }
      }
      return result
    }
    return changes(left).elementsEqual(changes(right), by: ==)
  }
}
