/// A position in a mapped tree. It behaves as one of LMDB: at either end it stays on the entry there.
@usableFromInline
struct MappedCursor {
  private let tree: MappedTree
  /// The leaf that it is on; `nil` if it is on none.
  private var leaf: MappedPage?
  private var place = 0

  @usableFromInline init(_ tree: MappedTree) { self.tree = tree }

  /// Where in the map an entry lies.
  @usableFromInline
  struct Found {
    @usableFromInline let key: UnsafeRawBufferPointer
    @usableFromInline let value: UnsafeRawBufferPointer
  }

  @usableFromInline
  mutating func first() throws(StorageError) -> Found? { try enter(tree.edge(isLast: false), isLast: false) }

  @usableFromInline
  mutating func last() throws(StorageError) -> Found? { try enter(tree.edge(isLast: true), isLast: true) }

  @usableFromInline
  mutating func next() throws(StorageError) -> Found? {
    guard let leaf else { return try first() }
    if place + 1 < leaf.count {
      place += 1
      return try entry(leaf)
    }
    return try enter(tree.neighbour(of: leaf, .after), isLast: false)
  }

  @usableFromInline
  mutating func previous() throws(StorageError) -> Found? {
    guard let leaf else { return try last() }
    if place > 0 {
      place -= 1
      return try entry(leaf)
    }
    return try enter(tree.neighbour(of: leaf, .before), isLast: true)
  }

  @usableFromInline
  func current() throws(StorageError) -> Found? {
    guard let leaf else { return nil }
    return try entry(leaf)
  }

  /// Moves to the first entry that is not before a key.
  @usableFromInline
  mutating func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Found? {
    if tree.isEmpty { return nil }
    guard let found = tree.find(SearchedKey(key)) else { throw tree.corrupted(.moveCursor) }
    (leaf, place) = (found.leaf, found.place)
    if found.place < found.leaf.count { return try entry(found.leaf) }
    // Behind the last entry of its leaf.
    place = found.leaf.count - 1
    if let entry = try next() { return entry }
    leaf = nil
    return nil
  }

  /// Moves to an end of a leaf, if there is one.
  private mutating func enter(_ leaf: MappedPage?, isLast: Bool) throws(StorageError) -> Found? {
    guard let leaf else { return nil }
    self.leaf = leaf
    place = isLast ? leaf.count - 1 : 0
    return try entry(leaf)
  }

  @inline(__always)
  private func entry(_ leaf: MappedPage) throws(StorageError) -> Found? {
    guard let key = leaf.key(place), let value = tree.value(leaf, place) else { throw tree.corrupted(.moveCursor) }
    return Found(key: key, value: value)
  }
}
