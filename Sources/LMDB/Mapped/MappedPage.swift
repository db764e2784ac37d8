/// A page of a mapped tree, with the layout of ``Page``. Nothing outside of it is read, even if its numbers are
/// damaged. A node outside the page is `nil`, and so is a page of another kind.
struct MappedPage {
  let start: UnsafeRawPointer
  let size: Int
  /// The number of its nodes.
  let count: Int
  let isLeaf: Bool

  /// `nil` if it is no page of a tree.
  @inline(__always)
  init?(_ start: UnsafeRawPointer, size: Int) {
    let flags = start.load(fromByteOffset: DataFile.word + 2, as: UInt16.self)
    let lower = Int(start.load(fromByteOffset: DataFile.word + 4, as: UInt16.self))
    guard flags == Page.leaf || flags == Page.branch, lower > DataFile.pageHeaderSize, lower <= size else { return nil }
    self.start = start
    self.size = size
    count = (lower - DataFile.pageHeaderSize) / 2
    isLeaf = flags == Page.leaf
  }

  /// Where a node lies: behind its header, its key.
  @inline(__always)
  private func node(_ index: Int) -> UnsafeRawPointer? {
    let offset = Int(start.load(fromByteOffset: DataFile.pageHeaderSize &+ 2 &* index, as: UInt16.self))
    return offset <= size &- Page.Node.headerSize ? start + offset : nil
  }

  /// - Parameter index: Of a node that there is.
  @inline(__always)
  func key(_ index: Int) -> UnsafeRawBufferPointer? {
    guard let node = node(index) else { return nil }
    let count = Int(node.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    guard node + Page.Node.headerSize + count <= start + size else { return nil }
    return UnsafeRawBufferPointer(start: node + Page.Node.headerSize, count: count)
  }

  /// The number of nodes that sort before a key, or also have the key if `orSame`. The first `first` nodes count
  /// without a comparison.
  @inline(__always)
  func count(before wanted: SearchedKey, orSame: Bool, from first: Int) -> Int? {
    // With branches instead of conditional moves: if the keys are not in the cache, the processor guesses the next key
    // and fetches it. Half of the guesses are right.
    var (low, high) = (first, count)
    while low < high {
      let middle = (low &+ high) &>> 1
      guard let isBefore = isBefore(middle, wanted, orSame: orSame) else { return nil }
      if isBefore { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// Whether a node sorts before a key, or also has the key if `orSame`.
  @inline(__always)
  private func isBefore(_ index: Int, _ wanted: SearchedKey, orSame: Bool) -> Bool? {
    let offset = Int(start.load(fromByteOffset: DataFile.pageHeaderSize &+ 2 &* index, as: UInt16.self))
    // For most nodes, the beginning of the key suffices. It lies within the page, so the end of the key need not be
    // checked.
    if offset <= size &- (Page.Node.headerSize &+ SearchedKey.sizeOfNumbers) {
      let length = start.loadUnaligned(fromByteOffset: offset &+ 6, as: UInt16.self)
      if let isBefore = wanted.isAfter(numbers: start + (offset &+ Page.Node.headerSize), of: length) {
        return isBefore
      }
    }
    return key(index).map { wanted.isAfter($0, orSame: orSame) }
  }

  /// The page below a node of a branch.
  @inline(__always)
  func child(_ index: Int) -> UInt? {
    guard let node = node(index) else { return nil }
    return UInt(node.loadUnaligned(as: UInt32.self)) | UInt(node.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
      << 32
  }

  enum Value {
    case bytes(UnsafeRawBufferPointer)
    /// On overflow pages: the number of the first, and the size.
    case overflow(UInt, Int)
  }

  /// The value of a node of a leaf.
  @inline(__always)
  func value(_ index: Int) -> Value? {
    guard let node = node(index), let key = key(index), let end = key.baseAddress.map({ $0 + key.count }) else {
      return nil
    }
    let size = Int(node.loadUnaligned(as: UInt32.self))
    switch node.loadUnaligned(fromByteOffset: 4, as: UInt16.self) {
    case 0:
      guard size <= start + self.size - end else { return nil }
      return .bytes(UnsafeRawBufferPointer(start: end, count: size))
    case Page.Node.big:
      guard DataFile.word <= start + self.size - end else { return nil }
      return .overflow(end.loadUnaligned(as: UInt.self), size)
    default: return nil
    }
  }
}
