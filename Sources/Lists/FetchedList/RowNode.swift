import RepriseEventStore
import RepriseObjectModel

/// A node of a ``RowTree``. Immutable: an edit makes new nodes along its path.
enum RowNode {
  case leaf(RowLeaf)
  case inner(RowInner)

  /// A key such that no row of this node sorts before it, and all rows of the nodes to the left do. The leftmost node's
  /// separator is unused, because all smaller rows belong there.
  var separator: [UInt8] {
    switch self {
    case .leaf(let leaf): leaf.separator
    case .inner(let inner): inner.children[0].separator
    }
  }

  var count: Int {
    switch self {
    case .leaf(let leaf): leaf.rows.count
    case .inner(let inner): inner.ends[inner.ends.count - 1]
    }
  }

  var memoryInBytes: Int {
    switch self {
    case .leaf(let leaf): leaf.memoryInBytes
    case .inner(let inner): inner.memoryInBytes
    }
  }

  /// The nodes that replace this one after edits. There may be any number of nodes of the same height. `edits` are in
  /// ascending order of their keys.
  func applying(_ edits: ArraySlice<RowTree.Edit>, _ key: RowTree.KeyReader) throws(RowTree.Failure) -> [RowNode] {
    switch self {
    case .leaf(let leaf): try leaf.applying(edits, key)
    case .inner(let inner): try inner.applying(edits, key)
    }
  }

  fileprivate var isUnderfull: Bool {
    switch self {
    case .leaf(let leaf): leaf.rows.count < RowLeaf.capacity / 4
    case .inner(let inner): inner.children.count < RowInner.capacity / 4
    }
  }

  /// This node and the next one as one node. `nil` if they do not fit into one.
  fileprivate func joined(with next: RowNode) -> RowNode? {
    switch (self, next) {
    case (.leaf(let left), .leaf(let right)):
      guard left.rows.count + right.rows.count <= RowLeaf.capacity else { return nil }
      return .leaf(RowLeaf(left.separator, rows: left.rows + right.rows, left.hints.joined(with: right.hints)))
    case (.inner(let left), .inner(let right)):
      guard left.children.count + right.children.count <= RowInner.capacity else { return nil }
      return .inner(RowInner(left.children + right.children))
    default: return nil
    }
  }

  /// Divides `count` elements evenly into pieces.
  static func pieces(of count: Int, atMost size: Int) -> [Range<Int>] {
    let pieces = (count + size - 1) / size
    return (0..<pieces).map { (count * $0 / pieces)..<(count * ($0 + 1) / pieces) }
  }
}

final class RowLeaf {
  static let capacity = 160
  /// The number of rows in the leaves of a new tree, which leaves room for more.
  static let fill = 128

  let separator: [UInt8]
  let rows: [UniqueID]
  let hints: RowHints

  init(_ separator: [UInt8], rows: [UniqueID], _ hints: RowHints) {
    self.separator = separator
    self.rows = rows
    self.hints = hints
  }

  /// The approximate memory, with the headers of the object and its arrays.
  var memoryInBytes: Int {
    96 + separator.count + rows.count * MemoryLayout<UniqueID>.stride + hints.memoryInBytes
  }

  fileprivate func applying(
    _ edits: ArraySlice<RowTree.Edit>, _ key: RowTree.KeyReader
  ) throws(RowTree.Failure) -> [RowNode] {
    var kept = rows
    var hints = hints
    var insertions: [RowTree.Edit] = []
    // Usually there are few edits, and a search for each is faster than hashing.
    for edit in edits {
      if edit.isInsertion {
        insertions.append(edit)
      } else if let index = kept.firstIndex(of: edit.uuid) {
        kept.remove(at: index)
        hints.remove(at: index)
      } else {
        throw .inconsistent
      }
    }
    // If all rows are new, their keys are known.
    if kept.isEmpty { hints = RowHints(insertions.map(\.key)) }
    let all = insertions.isEmpty ? kept : try Self.merged(kept, &hints, insertions, key)
    if all.isEmpty { return [] }
    if all.count <= Self.capacity { return [.leaf(RowLeaf(separator, rows: all, hints))] }
    var leaves: [RowNode] = []
    for piece in RowNode.pieces(of: all.count, atMost: Self.fill) {
      let rows = Array(all[piece])
      var separator = separator
      if let first = rows.first, !leaves.isEmpty {
        let inserted = insertions.first { $0.uuid == first }?.key
        separator = if let inserted { inserted } else { try Self.read(first, key) }
      }
      leaves.append(.leaf(RowLeaf(separator, rows: rows, hints[piece])))
    }
    return leaves
  }

  /// - Parameter hints: The hints of `rows`. Becomes the hints of the result. If there are no rows, it must already
  ///   have these.
  private static func merged(
    _ rows: [UniqueID], _ hints: inout RowHints, _ insertions: [RowTree.Edit], _ key: RowTree.KeyReader
  ) throws(RowTree.Failure) -> [UniqueID] {
    if rows.isEmpty { return insertions.map(\.uuid) }
    let before = hints
    var merged: [UniqueID] = []
    merged.reserveCapacity(rows.count + insertions.count)
    // Neighbouring insertions compare with some of the same rows.
    var known: [Int: [UInt8]] = [:]
    var next = 0
    for insertion in insertions {
      let places = before.places(for: insertion.key, in: next..<rows.count)
      var low = places.lowerBound
      var high = places.upperBound
      while low < high {
        let middle = (low + high) / 2
        let other = if let key = known[middle] { key } else { try read(rows[middle], key) }
        if insertions.count > 1 { known[middle] = other }
        if other.precedes(insertion.key) { low = middle + 1 } else { high = middle }
        if other == insertion.key { throw .inconsistent }
      }
      merged += rows[next..<low]
      hints.insert(insertion.key, at: merged.count)
      merged.append(insertion.uuid)
      next = low
    }
    merged += rows[next...]
    return merged
  }

  private static func read(_ uuid: UniqueID, _ key: RowTree.KeyReader) throws(RowTree.Failure) -> [UInt8] {
    let found: [UInt8]?
    do throws(StoreError) { found = try key(uuid) } catch { throw .store(error) }
    guard let found else { throw .inconsistent }
    return found
  }
}

final class RowInner {
  static let capacity = 64
  static let fill = 48

  let children: [RowNode]
  /// For each child, the number of rows in the children up to and including it.
  let ends: [Int]
  let memoryInBytes: Int

  /// - Parameter children: The children, at least one.
  init(_ children: [RowNode]) {
    self.children = children
    var ends: [Int] = []
    ends.reserveCapacity(children.count)
    var count = 0
    var memory = 112 + children.count * 16
    for child in children {
      count += child.count
      memory += child.memoryInBytes
      ends.append(count)
    }
    self.ends = ends
    memoryInBytes = memory
  }

  func start(of child: Int) -> Int { child == 0 ? 0 : ends[child - 1] }

  /// The child with the row of this rank. The last child if there are fewer rows.
  func child(atRank rank: Int) -> Int {
    var low = 0
    var high = ends.count - 1
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > rank { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The child that contains the row with this key, or would contain it: the last child whose separator does not sort
  /// after the key.
  func child(for key: [UInt8]) -> Int {
    var low = 0
    var high = children.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if key.precedes(children[middle].separator) { high = middle - 1 } else { low = middle }
    }
    return low
  }

  fileprivate func applying(
    _ edits: ArraySlice<RowTree.Edit>, _ key: RowTree.KeyReader
  ) throws(RowTree.Failure) -> [RowNode] {
    var nodes: [RowNode] = []
    nodes.reserveCapacity(children.count + 1)
    var rest = edits
    var next = 0
    while let first = rest.first {
      let index = child(for: first.key)
      nodes += children[next..<index]
      var run = rest
      if index + 1 < children.count {
        let bound = children[index + 1].separator
        run = rest.prefix { $0.key.precedes(bound) }
      }
      nodes += try children[index].applying(run, key)
      rest = rest.dropFirst(run.count)
      next = index + 1
    }
    nodes += children[next...]
    return Self.grouped(Self.balanced(nodes))
  }

  /// Joins nodes that became small with their neighbours.
  private static func balanced(_ nodes: [RowNode]) -> [RowNode] {
    guard nodes.contains(where: \.isUnderfull) else { return nodes }
    var balanced: [RowNode] = []
    balanced.reserveCapacity(nodes.count)
    for node in nodes {
      if let last = balanced.last, last.isUnderfull || node.isUnderfull, let joined = last.joined(with: node) {
        balanced[balanced.count - 1] = joined
      } else {
        balanced.append(node)
      }
    }
    return balanced
  }

  /// The parents of these nodes.
  static func grouped(_ nodes: [RowNode]) -> [RowNode] {
    if nodes.isEmpty { return [] }
    if nodes.count <= capacity { return [.inner(RowInner(nodes))] }
    return RowNode.pieces(of: nodes.count, atMost: fill).map { .inner(RowInner(Array(nodes[$0]))) }
  }
}
