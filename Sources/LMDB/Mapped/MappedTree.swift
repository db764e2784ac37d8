import CRepriseLMDB

/// A table's tree in a snapshot, read in the mapped pages. Damage in it is an error, and nothing outside of the map is
/// read.
@usableFromInline
struct MappedTree {
  /// The snapshot, which keeps the pages.
  let transaction: OpaquePointer
  private let start: UnsafeRawPointer
  private let pageSize: Int
  private let pageCount: UInt
  private let root: UInt

  /// No tree has more levels, because each branch page leads to at least two pages.
  private static let mostLevels = 48

  init(transaction: OpaquePointer, start: UnsafeRawPointer, pageSize: Int, pageCount: UInt, root: UInt) {
    self.transaction = transaction
    self.start = start
    self.pageSize = pageSize
    self.pageCount = pageCount
    self.root = root
  }

  var isEmpty: Bool { root == TreeHead.none }

  func corrupted(_ operation: StorageError.Operation) -> StorageError {
    StorageError(code: MDB_CORRUPTED, operation, transaction: transaction)
  }

  @inline(__always)
  private func page(_ number: UInt) -> MappedPage? {
    guard number < pageCount else { return nil }
    return MappedPage(start + Int(bitPattern: number) &* pageSize, size: pageSize)
  }

  /// The value of a key.
  @usableFromInline
  func value(of key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    if isEmpty { return nil }
    let key = SearchedKey(key)
    guard let (leaf, place, isFound) = find(key) else { throw corrupted(.get) }
    guard isFound else { return nil }
    guard let value = value(leaf, place) else { throw corrupted(.get) }
    return value
  }

  /// The value of a node of a leaf, wherever it lies.
  @inline(__always)
  func value(_ leaf: MappedPage, _ place: Int) -> UnsafeRawBufferPointer? {
    switch leaf.value(place) {
    case .bytes(let bytes): bytes
    case .overflow(let number, let size): overflow(number, size)
    case nil: nil
    }
  }

  /// The value of an entry that a cursor is on or passes.
  @inline(__always)
  func entryValue(_ leaf: MappedPage, _ place: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    guard let value = value(leaf, place) else { throw corrupted(.moveCursor) }
    return value
  }

  private func overflow(_ number: UInt, _ size: Int) -> UnsafeRawBufferPointer? {
    guard number < pageCount else { return nil }
    let first = start + Int(number) * pageSize
    let count = first.load(fromByteOffset: DataFile.word + 4, as: UInt32.self)
    guard first.load(fromByteOffset: DataFile.word + 2, as: UInt16.self) == Page.overflow,
      UInt(count) <= pageCount - number, size <= Int(count) * pageSize - DataFile.pageHeaderSize
    else { return nil }
    return UnsafeRawBufferPointer(start: first + DataFile.pageHeaderSize, count: size)
  }

  /// The leaf for a key, the place of the first entry that is not before the key, or the place after the last entry,
  /// and whether that entry has the key. `nil` for a damaged tree.
  @inline(__always)
  func find(_ key: SearchedKey) -> (leaf: MappedPage, place: Int, isFound: Bool)? {
    guard let leaf = descend(key, nil)?.leaf else { return nil }
    guard let place = leaf.count(before: key, orSame: false, from: 0) else { return nil }
    guard place < leaf.count else { return (leaf, place, false) }
    guard let other = leaf.key(place) else { return nil }
    return (leaf, place, key.isSame(as: other))
  }

  enum Side {
    case before
    case after
  }

  /// The leaf for a key, and the page above its neighbour on one side, if there is one. `nil` for a damaged tree.
  @inline(__always)
  private func descend(_ key: SearchedKey, _ side: Side?) -> (leaf: MappedPage, neighbour: UInt?)? {
    guard var page = page(root) else { return nil }
    var neighbour: UInt?
    for _ in 0..<Self.mostLevels {
      if page.isLeaf { return (page, neighbour) }
      // The first key of a branch stands for all that are before the second.
      guard let place = page.count(before: key, orSame: true, from: 1).map({ $0 &- 1 }) else { return nil }
      switch side {
      case .before? where place > 0: neighbour = page.child(place - 1)
      case .after? where place + 1 < page.count: neighbour = page.child(place + 1)
      default: break
      }
      guard let next = page.child(place).flatMap({ self.page($0) }) else { return nil }
      page = next
    }
    return nil
  }

  /// The leaf on one side of another one, if there is one.
  func neighbour(of leaf: MappedPage, _ side: Side) throws(StorageError) -> MappedPage? {
    let isBefore = side == .before
    guard let key = leaf.key(isBefore ? 0 : leaf.count - 1), let found = descend(SearchedKey(key), side) else {
      throw corrupted(.moveCursor)
    }
    guard let number = found.neighbour else { return nil }
    let next = try edge(below: number, isLast: isBefore)
    // Without this check, a walk could go in circles in a damaged tree.
    guard let first = next.key(0), let last = next.key(next.count - 1), !SearchedKey(first).isAfter(last),
      isBefore ? SearchedKey(key).isAfter(last) : SearchedKey(first).isAfter(key)
    else { throw corrupted(.moveCursor) }
    return next
  }

  /// The first or the last leaf of all, if there is one.
  func edge(isLast: Bool) throws(StorageError) -> MappedPage? {
    isEmpty ? nil : try edge(below: root, isLast: isLast)
  }

  private func edge(below number: UInt, isLast: Bool) throws(StorageError) -> MappedPage {
    var number = number
    for _ in 0..<Self.mostLevels {
      guard let page = page(number) else { break }
      if page.isLeaf { return page }
      guard let next = page.child(isLast ? page.count - 1 : 0) else { break }
      number = next
    }
    throw corrupted(.moveCursor)
  }
}
