import RepriseLMDB
import RepriseObjectModel

extension CountedIndex {
  /// A violated invariant.
  package struct Problem: Sendable, Equatable, CustomStringConvertible {
    package let level: UInt8
    /// The row key of the entry in question.
    package let rowKey: [UInt8]
    package let kind: Kind

    package enum Kind: Sendable, Equatable {
      case rowHasValue
      case outOfOrder
      case malformedCounts
      case firstBoundNotEmpty
      case outsideEveryNode
      case rowsDiffer(counted: Int, found: Int)
      case childrenDiffer(counted: Int, found: Int)
      case empty
      case tooManyChildren(Int)
      case tooFewChildren(Int)
      case severalRoots
      case needlessLevel
    }

    package var description: String {
      let place = "tree level \(level)" + (rowKey.isEmpty ? "" : ", key \(hexadecimal(rowKey))")
      return switch kind {
      case .rowHasValue: "\(place): the row has a value, but must have none"
      case .outOfOrder: "\(place): the key is not greater than the key before it"
      case .malformedCounts: "\(place): the row and child counts of the node cannot be read"
      case .firstBoundNotEmpty: "\(place): the first node of a level must have an empty key"
      case .outsideEveryNode: "\(place): no node of the tree covers this key"
      case .rowsDiffer(let counted, let found): "\(place): the node counts \(counted) rows, but has \(found)"
      case .childrenDiffer(let counted, let found): "\(place): the node counts \(counted) children, but has \(found)"
      case .empty: "\(place): the node has no children"
      case .tooManyChildren(let count): "\(place): the node has too many children (\(count))"
      case .tooFewChildren(let count): "\(place): the node has too few children (\(count))"
      case .severalRoots: "\(place): the highest level has more than one node"
      case .needlessLevel: "\(place): the level is unnecessary, because the level below it has only one node"
      }
    }
  }

  /// Walks all levels and reports violated invariants, at most `limit` of them. O(n).
  package func verify(in view: View, limit: Int = 100) throws(StorageError) -> [Problem] {
    var problems: [Problem] = []
    var below = Level(number: 0)
    try scanLevel(0, in: view) { rowKey, value in
      below.take(rowKey, &problems)
      if value.byteCount != 0 { problems.append(below.problem(rowKey, .rowHasValue)) }
      return problems.count < limit
    }
    while below.count > 0 && problems.count < limit && below.number < Self.endLevel - 1 {
      var level = Level(number: below.number + 1)
      try verify(&level, over: below, in: view, limit, &problems)
      if level.count == 0 {
        if below.number == 0 { problems.append(level.problem(RawSpan(), .outsideEveryNode)) }
        if below.number > 0 && below.count > 1 { problems.append(below.problem(RawSpan(), .severalRoots)) }
      } else if below.number > 0 && below.count == 1 {
        problems.append(level.problem(RawSpan(), .needlessLevel))
      }
      below = level
    }
    if below.number == 0 && below.count == 0 {
      let top = try withCursor(view) { cursor throws(StorageError) in try root(&cursor)?.level }
      if let top { problems.append(Level(number: top).problem(RawSpan(), .empty)) }
    }
    return Array(problems.prefix(max(limit, 0)))
  }

  /// The progress of a walk over a level.
  private struct Level {
    var number: UInt8
    var count = 0
    var last: [UInt8] = []

    mutating func take(_ rowKey: RawSpan, _ problems: inout [Problem]) {
      if count > 0 && compareBytes(last, rowKey) >= 0 { problems.append(problem(rowKey, .outOfOrder)) }
      last = [UInt8](copying: rowKey)
      count += 1
    }

    func problem(_ rowKey: RawSpan, _ kind: Problem.Kind) -> Problem {
      Problem(level: number, rowKey: [UInt8](copying: rowKey), kind: kind)
    }
  }

  private func scanLevel(
    _ level: UInt8, in view: View, _ body: (RawSpan, RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    try withCursor(view) { cursor throws(StorageError) in try scan(level, from: RawSpan(), &cursor, body) }
  }

  /// Compares a level's nodes with the level below, walking each once.
  private func verify(
    _ level: inout Level, over below: Level, in view: View, _ limit: Int, _ problems: inout [Problem]
  ) throws(StorageError) {
    var nodes: [(lower: [UInt8], counts: Counts)] = []
    var checked = level
    var found = problems
    try scanLevel(level.number, in: view) { rowKey, value in
      if checked.count == 0 && rowKey.byteCount > 0 { found.append(checked.problem(rowKey, .firstBoundNotEmpty)) }
      checked.take(rowKey, &found)
      do throws(StorageError) {
        nodes.append(([UInt8](copying: rowKey), try counts(value)))
      } catch {
        found.append(checked.problem(rowKey, .malformedCounts))
        nodes.append(([UInt8](copying: rowKey), Counts(rows: 0, children: 0)))
      }
      return found.count < limit
    }
    var actual = [Counts](repeating: Counts(rows: 0, children: 0), count: nodes.count)
    var node = 0
    try scanLevel(below.number, in: view) { rowKey, value in
      while node + 1 < nodes.count && compareBytes(nodes[node + 1].lower, rowKey) <= 0 { node += 1 }
      guard node < nodes.count, compareBytes(nodes[node].lower, rowKey) <= 0 else {
        if !nodes.isEmpty { found.append(below.problem(rowKey, .outsideEveryNode)) }
        return !nodes.isEmpty && found.count < limit
      }
      actual[node].children += 1
      // A malformed value was reported when its own level was checked.
      actual[node].rows += below.number == 0 ? 1 : (try? counts(value))?.rows ?? 0
      return true
    }
    for (index, node) in nodes.enumerated() where found.count < limit {
      let lower = node.lower.span.bytes
      let isEdge = index == 0 || index == nodes.count - 1
      let children = actual[index].children
      if node.counts.rows != actual[index].rows {
        found.append(level.problem(lower, .rowsDiffer(counted: node.counts.rows, found: actual[index].rows)))
      }
      if node.counts.children != children {
        found.append(level.problem(lower, .childrenDiffer(counted: node.counts.children, found: children)))
      }
      if children == 0 { found.append(level.problem(lower, .empty)) }
      if children > fanOut.maximum { found.append(level.problem(lower, .tooManyChildren(children))) }
      if children > 0 && children < fanOut.minimum && !isEdge {
        found.append(level.problem(lower, .tooFewChildren(children)))
      }
    }
    level = checked
    problems = found
  }
}
