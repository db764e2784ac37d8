#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A position in a mapped tree. It behaves as one of LMDB: at either end it stays on the entry there.
///
/// Keys ascend strictly on the way forward and descend strictly on the way back. A search never returns a key before
/// the requested one. In a damaged tree it throws instead, so no walk goes in a circle.
@usableFromInline
struct MappedCursor {
  private let tree: MappedTree
  /// The leaf that it is on. `nil` if it is on none.
  private var leaf: MappedPage?
  private var place = 0

  init(_ tree: MappedTree) { self.tree = tree }

  /// Where in the map an entry lies.
  struct Found {
    let key: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer
  }

  mutating func first() throws(StorageError) -> Found? { try enter(tree.edge(isLast: false), isLast: false) }

  mutating func last() throws(StorageError) -> Found? { try enter(tree.edge(isLast: true), isLast: true) }

  mutating func next() throws(StorageError) -> Found? {
    guard let leaf else { return try first() }
    if place + 1 < leaf.count {
      let last = leaf.key(place)
      place += 1
      let found = try entry(leaf)
      guard let last, last.precedes(found.key) else { throw tree.corrupted(.moveCursor) }
      return found
    }
    return try enter(tree.neighbour(of: leaf, .after), isLast: false)
  }

  mutating func previous() throws(StorageError) -> Found? {
    guard let leaf else { return try last() }
    if place > 0 {
      let last = leaf.key(place)
      place -= 1
      let found = try entry(leaf)
      guard let last, found.key.precedes(last) else { throw tree.corrupted(.moveCursor) }
      return found
    }
    return try enter(tree.neighbour(of: leaf, .before), isLast: true)
  }

  func current() throws(StorageError) -> Found? {
    guard let leaf else { return nil }
    return try entry(leaf)
  }

  /// Moves to the first entry that is not before a key.
  mutating func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Found? {
    if tree.isEmpty { return nil }
    guard let found = tree.find(SearchedKey(key)) else { throw tree.corrupted(.moveCursor) }
    (leaf, place) = (found.leaf, found.place)
    if found.place < found.leaf.count {
      let entry = try entry(found.leaf)
      // If keys are out of order, the search may have followed a wrong branch.
      guard found.isFound || key.precedes(entry.key) else { throw tree.corrupted(.moveCursor) }
      return entry
    }
    // Behind the last entry of its leaf.
    place = found.leaf.count - 1
    if let entry = try next() {
      guard key.precedes(entry.key) else { throw tree.corrupted(.moveCursor) }
      return entry
    }
    leaf = nil
    return nil
  }

  /// Moves to the first entry, from the current one on, that is not before a key, or to none. Counts the entries
  /// between. Skips whole leaves without reading their entries.
  mutating func advance(
    to key: UnsafeRawBufferPointer, counting passed: inout Int
  ) throws(StorageError) -> Found? {
    try advance(to: key) { _, places in passed += places.count }
  }

  /// Like `advance(to:counting:)`, but calls `body` with the value of each skipped entry.
  mutating func advance(
    to key: UnsafeRawBufferPointer, passing body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Found? {
    let tree = tree
    return try advance(to: key) { (leaf, places) throws(StorageError) in
      for place in places { try body(tree.entryValue(leaf, place)) }
    }
  }

  @inline(__always)
  private mutating func advance(
    to key: UnsafeRawBufferPointer, passing body: (MappedPage, Range<Int>) throws(StorageError) -> Void
  ) throws(StorageError) -> Found? {
    let key = SearchedKey(key)
    while let leaf {
      guard let end = leaf.count(before: key, orSame: false, from: place) else { throw tree.corrupted(.moveCursor) }
      try body(leaf, place..<end)
      if end < leaf.count {
        place = end
        return try entry(leaf)
      }
      try leave(leaf)
    }
    return nil
  }

  /// Moves on by so many entries, or to none.
  mutating func advance(by count: Int) throws(StorageError) -> Found? {
    var count = count
    while let leaf {
      if count < leaf.count - place {
        place += count
        return try entry(leaf)
      }
      count -= leaf.count - place
      try leave(leaf)
    }
    return nil
  }

  /// Moves to the first entry, from the current one on, whose value makes `body` return false, or to none.
  mutating func advance(
    while body: (UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) -> Found? {
    while let leaf {
      while place < leaf.count {
        if try !body(tree.entryValue(leaf, place)) { return try entry(leaf) }
        place += 1
      }
      try leave(leaf)
    }
    return nil
  }

  /// Skips entries from the current one on while their keys begin with a prefix. Stops at the first entry for which
  /// `body` returns false.
  mutating func advance(
    beginningWith prefix: UnsafeRawBufferPointer,
    passing body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) {
    while let leaf {
      // If the last key of a leaf has the prefix, so do all keys from the current one on.
      guard let last = leaf.key(leaf.count - 1) else { throw tree.corrupted(.moveCursor) }
      let isWhole = last.begins(with: prefix)
      var passed: UnsafeRawBufferPointer?
      while place < leaf.count {
        guard let key = leaf.key(place), passed?.precedes(key) ?? true else { throw tree.corrupted(.moveCursor) }
        if !isWhole, !key.begins(with: prefix) { return }
        guard try body(key, tree.entryValue(leaf, place)) else { return }
        passed = key
        place += 1
      }
      try leave(leaf)
    }
  }

  /// Moves to the first entry behind a leaf, or to none.
  private mutating func leave(_ leaf: MappedPage) throws(StorageError) {
    place = 0
    self.leaf = try tree.neighbour(of: leaf, .after)
  }

  /// Moves to an end of a leaf, if there is one.
  private mutating func enter(_ leaf: MappedPage?, isLast: Bool) throws(StorageError) -> Found? {
    guard let leaf else { return nil }
    self.leaf = leaf
    place = isLast ? leaf.count - 1 : 0
    return try entry(leaf)
  }

  @inline(__always)
  private func entry(_ leaf: MappedPage) throws(StorageError) -> Found {
    guard let key = leaf.key(place) else { throw tree.corrupted(.moveCursor) }
    return Found(key: key, value: try tree.entryValue(leaf, place))
  }
}

extension UnsafeRawBufferPointer {
  /// Whether it sorts before another key, by bytes.
  @inline(__always)
  fileprivate func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = baseAddress, let bytes = other.baseAddress else { return count < other.count }
    let order = memcmp(start, bytes, Swift.min(count, other.count))
    return order == 0 ? count < other.count : order < 0
  }

  fileprivate func begins(with prefix: UnsafeRawBufferPointer) -> Bool {
    guard count >= prefix.count, let start = baseAddress, let bytes = prefix.baseAddress else { return prefix.isEmpty }
    return memcmp(start, bytes, prefix.count) == 0
  }
}
