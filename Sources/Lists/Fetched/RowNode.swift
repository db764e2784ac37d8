import RepriseEventStore
import RepriseObjectModel

/// A node of a ``RowTree``. Immutable: an edit makes new nodes along its path.
enum RowNode {
  case leaf(RowLeaf)
  case inner(RowInner)

  /// No row of this node sorts before it, and all rows of the nodes to the left do.
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

  /// What takes this node's place after edits, in ascending order of their keys: any number of nodes of its height.
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

  /// This node and the next in one; `nil` if they do not fit.
  fileprivate func joined(with next: RowNode) -> RowNode? {
    switch (self, next) {
    case (.leaf(let left), .leaf(let right)):
      guard left.rows.count + right.rows.count <= RowLeaf.capacity else { return nil }
      return .leaf(RowLeaf(left.separator, rows: left.rows + right.rows))
    case (.inner(let left), .inner(let right)):
      guard left.children.count + right.children.count <= RowInner.capacity else { return nil }
      return .inner(RowInner(left.children + right.children))
    default: return nil
    }
  }

  /// Divides so many elements evenly.
  static func pieces(of count: Int, atMost size: Int) -> [Range<Int>] {
    let pieces = (count + size - 1) / size
    return (0..<pieces).map { (count * $0 / pieces)..<(count * ($0 + 1) / pieces) }
  }
}

final class RowLeaf {
  static let capacity = 128
  /// How many rows the leaves of a new tree have, and those of a split: room for more.
  static let fill = 96

  let separator: [UInt8]
  let rows: [UniqueID]

  init(_ separator: [UInt8], rows: [UniqueID]) {
    self.separator = separator
    self.rows = rows
  }

  /// With the headers of the object and its two arrays.
  var memoryInBytes: Int { 96 + separator.count + rows.count * MemoryLayout<UniqueID>.stride }

  fileprivate func applying(
    _ edits: ArraySlice<RowTree.Edit>, _ key: RowTree.KeyReader
  ) throws(RowTree.Failure) -> [RowNode] {
    let removed = Set(edits.lazy.filter { !$0.isInsertion }.map(\.uuid))
    let kept = removed.isEmpty ? rows : rows.filter { !removed.contains($0) }
    guard kept.count == rows.count - removed.count else { throw .inconsistent }
    let insertions = edits.filter(\.isInsertion)
    let all = insertions.isEmpty ? kept : try Self.merged(kept, insertions, key)
    if all.isEmpty { return [] }
    // Only in the leftmost leaf does anything sort before the separator.
    let first = insertions.first.map(\.key)
    let separator = if let first, first.lexicographicallyPrecedes(self.separator) { first } else { self.separator }
    if all.count <= Self.capacity { return [.leaf(RowLeaf(separator, rows: all))] }
    var leaves: [RowNode] = []
    for piece in RowNode.pieces(of: all.count, atMost: Self.fill) {
      let rows = Array(all[piece])
      var separator = separator
      if let first = rows.first, !leaves.isEmpty {
        let inserted = insertions.first { $0.uuid == first }?.key
        separator = if let inserted { inserted } else { try Self.read(first, key) }
      }
      leaves.append(.leaf(RowLeaf(separator, rows: rows)))
    }
    return leaves
  }

  private static func merged(
    _ rows: [UniqueID], _ insertions: [RowTree.Edit], _ key: RowTree.KeyReader
  ) throws(RowTree.Failure) -> [UniqueID] {
    var merged: [UniqueID] = []
    merged.reserveCapacity(rows.count + insertions.count)
    // Neighbouring insertions compare with some of the same rows.
    var known: [Int: [UInt8]] = [:]
    var next = 0
    for insertion in insertions {
      var low = next
      var high = rows.count
      while low < high {
        let middle = (low + high) / 2
        let other = if let key = known[middle] { key } else { try read(rows[middle], key) }
        known[middle] = other
        if other.lexicographicallyPrecedes(insertion.key) { low = middle + 1 } else { high = middle }
        if other == insertion.key { throw .inconsistent }
      }
      merged += rows[next..<low]
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
  /// How many rows the children up to and with each have.
  let ends: [Int]
  let memoryInBytes: Int

  /// - Parameter children: At least one.
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

  /// The child with the row of this rank; the last if there are fewer rows.
  func child(atRank rank: Int) -> Int {
    var low = 0
    var high = ends.count - 1
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > rank { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The child that has the row with this key, or would have it: the last whose separator does not sort behind it.
  func child(for key: [UInt8]) -> Int {
    var low = 0
    var high = children.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if key.lexicographicallyPrecedes(children[middle].separator) { high = middle - 1 } else { low = middle }
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
        run = rest.prefix { $0.key.lexicographicallyPrecedes(bound) }
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

  /// The nodes of the next height over these.
  static func grouped(_ nodes: [RowNode]) -> [RowNode] {
    if nodes.isEmpty { return [] }
    if nodes.count <= capacity { return [.inner(RowInner(nodes))] }
    return RowNode.pieces(of: nodes.count, atMost: fill).map { .inner(RowInner(Array(nodes[$0]))) }
  }
}
