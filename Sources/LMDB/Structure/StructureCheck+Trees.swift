#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension StructureCheck {
  /// The depth limit of LMDB's cursors.
  private static var deepest: Int { 32 }
  private static var longestKey: Int { 511 }
  private var isOfFreePages: Bool { if case .freePages = tree { true } else { false } }

  /// Counts of a walk, to compare with the tree's head.
  private struct Tally {
    var branchPages: UInt = 0
    var leafPages: UInt = 0
    var overflowPages: UInt = 0
    var entries: UInt = 0
  }

  /// The keys that a page may have: from `lower` on, below `upper`.
  private struct KeyRange {
    var lower: [UInt8] = []
    var upper: [UInt8]?
  }

  /// Walks a tree.
  mutating func walk(_ head: TreeHead) throws(StorageError) {
    if case .table = tree, head.flags != 0 { found(.tableFlags(head.flags), nil) }
    let isEmpty = head.root == TreeHead.none
    guard isEmpty == (head.depth == 0), head.depth <= Self.deepest else {
      return found(.levels(head.depth), isEmpty ? nil : head.root)
    }
    var tally = Tally()
    if !isEmpty { try walk(head.root, level: head.depth, KeyRange(), &tally) }
    for (things, counted, recorded) in [
      ("branch pages", tally.branchPages, head.branchPages), ("leaf pages", tally.leafPages, head.leafPages),
      ("overflow pages", tally.overflowPages, head.overflowPages), ("entries", tally.entries, head.entries),
    ] where counted != recorded {
      found(.count(things, counted: counted, recorded: recorded), isEmpty ? nil : head.root)
    }
  }

  /// - Parameter level: 1 for leaves.
  private mutating func walk(
    _ number: UInt, level: Int, _ range: KeyRange, _ tally: inout Tally
  ) throws(StorageError) {
    guard claim(number) else { return }
    guard let page = try pages.page(number) else {
      return found(.cutOff, number)
    }
    if page.number != number { found(.otherNumber(page.number), number) }
    guard page.isLeaf || page.isBranch else {
      return found(.flags(page.flags), number)
    }
    guard page.isLeaf == (level == 1) else {
      return found(.level(level, isLeaf: page.isLeaf), number)
    }
    // LMDB aborts the process on a branch page with one child.
    let fewest = page.isBranch && !isOfFreePages ? 2 : 1
    guard page.hasBounds, page.nodeCount >= fewest else {
      return found(.bounds(lower: page.lower, upper: page.upper), number)
    }
    guard let nodes = nodes(page, number) else { return }
    if let problem = keyProblem(page, nodes, range) { found(problem, number) }
    lend(number, page)
    if page.isLeaf {
      tally.leafPages += 1
      tally.entries += UInt(nodes.count)
      for node in nodes { try visit(node, page, number, &tally) }
      return
    }
    tally.branchPages += 1
    for (index, node) in nodes.enumerated() {
      var below = range
      if index > 0 { below.lower = Array(page.bytes[node.key]) }
      if index + 1 < nodes.count { below.upper = Array(page.bytes[nodes[index + 1].key]) }
      try walk(node.child, level: level - 1, below, &tally)
    }
  }

  /// All nodes of a page, if each lies within it and together they fill it from `upper` on.
  private mutating func nodes(_ page: Page, _ number: UInt) -> [Page.Node]? {
    var nodes: [Page.Node] = []
    nodes.reserveCapacity(page.nodeCount)
    var problem: StructureProblem.Reason?
    for index in 0..<page.nodeCount {
      guard let node = page.node(index) else {
        problem = .nodeOutside(index)
        break
      }
      ends[node.place.lowerBound / 2] = UInt32(node.place.upperBound)
      nodes.append(node)
    }
    if problem == nil { problem = gap(between: nodes.count, page) }
    guard let problem else { return nodes }
    for place in ends.indices { ends[place] = 0 }
    found(problem, number)
    return nil
  }

  /// Follows the nodes from one end to the next beginning. A walk of fewer than `count` steps has met a gap or an
  /// overlap.
  private mutating func gap(between count: Int, _ page: Page) -> StructureProblem.Reason? {
    var end = page.upper
    for _ in 0..<count {
      guard end % 2 == 0, end < page.bytes.count, ends[end / 2] > 0 else {
        return .nodesOverlap(at: end)
      }
      let place = end / 2
      end = Int(ends[place])
      ends[place] = 0
    }
    return end == page.bytes.count ? nil : .nodesEnd(at: end)
  }

  /// Checks that keys ascend, within the bounds that the parent sets. The first key of a branch stands for anything
  /// lower.
  private func keyProblem(_ page: Page, _ nodes: [Page.Node], _ range: KeyRange) -> StructureProblem.Reason? {
    let isFree = isOfFreePages
    let lengths = isFree ? DataFile.word...DataFile.word : 1...Self.longestKey
    // The closure borrows the bytes, because a slice of the array for each key would retain the array.
    return page.bytes.withUnsafeBytes { bytes in
      range.lower.withUnsafeBytes { lower in
        var last = lower
        for index in (page.isLeaf ? 0 : 1)..<nodes.count {
          let key = UnsafeRawBufferPointer(rebasing: bytes[nodes[index].key])
          guard lengths.contains(key.count) else { return .keySize(index, byteCount: key.count) }
          // A page's first key may equal the key that leads to it.
          let isFirst = index == (page.isLeaf ? 0 : 1)
          guard isFirst ? !Self.precedes(key, last, isFree) : Self.precedes(last, key, isFree) else {
            return .keyOrder(index)
          }
          last = key
        }
        let isBelow = range.upper?.withUnsafeBytes { Self.precedes(last, $0, isFree) } ?? true
        return isBelow ? nil : .lastKey
      }
    }
  }

  /// By bytes; in the free-page tree, by number. Nothing precedes an empty key.
  private static func precedes(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ isFree: Bool
  ) -> Bool {
    guard let start = left.baseAddress, let other = right.baseAddress else { return left.count < right.count }
    if isFree, left.count == DataFile.word, right.count == DataFile.word {
      return left.loadUnaligned(as: UInt.self) < right.loadUnaligned(as: UInt.self)
    }
    let order = memcmp(start, other, min(left.count, right.count))
    return order == 0 ? left.count < right.count : order < 0
  }

  /// Checks the value of a leaf's node.
  private mutating func visit(
    _ node: Page.Node, _ page: Page, _ number: UInt, _ tally: inout Tally
  ) throws(StorageError) {
    if case .main = tree {
      let name = String(decoding: page.bytes[node.key], as: UTF8.self)
      guard node.flags == Page.Node.table, node.value.count == TreeHead.size,
        let table = TreeHead(page.bytes, at: node.value.lowerBound)
      else { return found(.notATable(name), number) }
      return add(name, table)
    }
    switch node.flags {
    case 0:
      if isOfFreePages { addFreeList(Array(page.bytes[node.value]), number) }
    case Page.Node.big:
      let first = page.pageNumber(at: node.value.lowerBound)
      tally.overflowPages += try visitOverflow(first, size: node.size, from: number)
    default: found(.nodeFlags(node.flags), number)
    }
  }

  /// Returns how many pages there are.
  private mutating func visitOverflow(
    _ first: UInt, size: UInt, from number: UInt
  ) throws(StorageError) -> UInt {
    guard first >= 2, let page = try pages.page(first) else {
      found(.valueOutsideFile(from: number), first)
      return 0
    }
    let count = page.overflowCount
    guard page.flags == Page.overflow else {
      found(.valueFlags(page.flags, from: number), first)
      return 0
    }
    if page.number != first { found(.otherNumber(page.number), first) }
    // The pages may have room for more than the value.
    guard count >= 1, size <= count * UInt(meta.pageSize) - UInt(DataFile.pageHeaderSize) else {
      found(.valueSize(size, pages: count), first)
      return 0
    }
    guard claim(first, count: count) else { return 0 }
    if isOfFreePages {
      let place = Int(first) * meta.pageSize + DataFile.pageHeaderSize
      addFreeList(try pages.file.read(at: place, count: Int(size)), first)
    }
    return count
  }
}
