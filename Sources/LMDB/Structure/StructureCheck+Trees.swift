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
    if case .table = tree, head.flags != 0 { found(.table, nil, "its flags are \(head.flags), and must be 0") }
    let isEmpty = head.root == TreeHead.none
    guard isEmpty == (head.depth == 0), head.depth <= Self.deepest else {
      return found(.depth, isEmpty ? nil : head.root, "its tree cannot have \(head.depth) levels")
    }
    var tally = Tally()
    if !isEmpty { try walk(head.root, level: head.depth, KeyRange(), &tally) }
    for (kind, counted, recorded) in [
      ("branch pages", tally.branchPages, head.branchPages), ("leaf pages", tally.leafPages, head.leafPages),
      ("overflow pages", tally.overflowPages, head.overflowPages), ("entries", tally.entries, head.entries),
    ] where counted != recorded {
      found(.count, isEmpty ? nil : head.root, "its tree has \(counted) \(kind) instead of the recorded \(recorded)")
    }
  }

  /// - Parameter level: 1 for leaves.
  private mutating func walk(
    _ number: UInt, level: Int, _ range: KeyRange, _ tally: inout Tally
  ) throws(StorageError) {
    guard claim(number) else { return }
    guard let page = try pages.page(number) else {
      return found(.missingPage, number, "the file ends before the end of the page")
    }
    if page.number != number { found(.pageNumber, number, "its header has the page number \(page.number)") }
    guard page.isLeaf || page.isBranch else {
      return found(.pageKind, number, "its flags are \(page.flags), which neither a branch nor a leaf has")
    }
    guard page.isLeaf == (level == 1) else {
      let kind = page.isLeaf ? "a leaf" : "a branch"
      return found(.depth, number, "it is \(kind) on level \(level) of its tree, where level 1 has the leaves")
    }
    // LMDB aborts the process on a branch page with one child.
    let fewest = page.isBranch && !isOfFreePages ? 2 : 1
    guard page.hasBounds, page.nodeCount >= fewest else {
      return found(.bounds, number, "its pointers end at \(page.lower), and its nodes begin at \(page.upper)")
    }
    guard let nodes = nodes(page, number) else { return }
    if let problem = keyProblem(page, nodes, range) { found(.keyOrder, number, problem) }
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
    var problem: String?
    for index in 0..<page.nodeCount {
      guard let node = page.node(index) else {
        problem = "its node \(index) does not lie in it"
        break
      }
      ends[node.place.lowerBound / 2] = UInt32(node.place.upperBound)
      nodes.append(node)
    }
    if problem == nil { problem = gap(between: nodes.count, page) }
    guard let problem else { return nodes }
    for place in ends.indices { ends[place] = 0 }
    found(.node, number, problem)
    return nil
  }

  /// Goes from one of so many nodes to the next: who does not come by all of them has met a gap, or two at one place.
  private mutating func gap(between count: Int, _ page: Page) -> String? {
    var end = page.upper
    for _ in 0..<count {
      guard end % 2 == 0, end < page.bytes.count, ends[end / 2] > 0 else {
        return "two of its nodes overlap, or there is a gap between them, at \(end)"
      }
      let place = end / 2
      end = Int(ends[place])
      ends[place] = 0
    }
    return end == page.bytes.count ? nil : "its nodes end at \(end)"
  }

  /// Checks that keys ascend, within the bounds that the parent sets. The first key of a branch stands for anything
  /// lower.
  private func keyProblem(_ page: Page, _ nodes: [Page.Node], _ range: KeyRange) -> String? {
    let isFree = isOfFreePages
    let lengths = isFree ? DataFile.word...DataFile.word : 1...Self.longestKey
    // Lent, since a slice of an array for each key would be counted as a reference to it.
    return page.bytes.withUnsafeBytes { bytes in
      range.lower.withUnsafeBytes { lower in
        var last = lower
        for index in (page.isLeaf ? 0 : 1)..<nodes.count {
          let key = UnsafeRawBufferPointer(rebasing: bytes[nodes[index].key])
          guard lengths.contains(key.count) else { return "its key \(index) has \(key.count) bytes" }
          // A page's first key may equal the key that leads to it.
          let isFirst = index == (page.isLeaf ? 0 : 1)
          guard isFirst ? !Self.precedes(key, last, isFree) : Self.precedes(last, key, isFree) else {
            return "its key \(index) is not greater than the one before"
          }
          last = key
        }
        let isBelow = range.upper?.withUnsafeBytes { Self.precedes(last, $0, isFree) } ?? true
        return isBelow ? nil : "its last key belongs on a later page"
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
      else { return found(.table, number, "'\(name)' in the main database is not a table") }
      return add(name, table)
    }
    switch node.flags {
    case 0:
      if isOfFreePages { addFreeList(Array(page.bytes[node.value]), number) }
    case Page.Node.big:
      let first = page.pageNumber(at: node.value.lowerBound)
      tally.overflowPages += try visitOverflow(first, size: node.size, from: number)
    default: found(.node, number, "a node has the flags \(node.flags)")
    }
  }

  /// Returns how many pages there are.
  private mutating func visitOverflow(
    _ first: UInt, size: UInt, from number: UInt
  ) throws(StorageError) -> UInt {
    guard first >= 2, let page = try pages.page(first) else {
      found(.missingPage, first, "page \(number) has a value on this page, which is not in the file")
      return 0
    }
    let count = page.overflowCount
    guard page.flags == Page.overflow else {
      found(.pageKind, first, "page \(number) has a value on this page, whose flags are \(page.flags)")
      return 0
    }
    if page.number != first { found(.pageNumber, first, "its header has the page number \(page.number)") }
    // The pages may have room for more than the value.
    guard count >= 1, size <= count * UInt(meta.pageSize) - UInt(DataFile.pageHeaderSize) else {
      found(.count, first, "\(count) pages cannot hold a value of \(size) bytes")
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
