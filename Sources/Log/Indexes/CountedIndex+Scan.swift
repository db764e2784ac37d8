import RepriseLMDB
import RepriseObjectModel

// All traversals of the index go through these, each on the caller's cursor.
extension CountedIndex {
  /// Visits entries of a level in ascending order, from the first whose row key is not less than `start`, until `body`
  /// returns false.
  package func scan(
    _ level: UInt8, from start: RawSpan, _ cursor: inout Cursor,
    _ body: (_ rowKey: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var entry = try cursor.seek(key(level, start).span.bytes)
    while let found = entry {
      guard holds(level, found.key) else { return }
      guard try body(found.key.extracting(droppingFirst: Self.prefixLength), found.value) else { return }
      entry = try cursor.next()
    }
  }

  /// Visits entries of a level in descending order, from the last whose row key is less than `end`, until `body`
  /// returns false.
  package func scanBack(
    _ level: UInt8, before end: RawSpan, _ cursor: inout Cursor,
    _ body: (_ rowKey: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    try scanBack(level, beforeEntry: key(level, end), &cursor, body)
  }

  /// Visits entries of a level in descending order, from the last, until `body` returns false.
  func scanBackFromEnd(
    _ level: UInt8, _ cursor: inout Cursor,
    _ body: (_ rowKey: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    try scanBack(level, beforeEntry: key(level + 1, RawSpan()), &cursor, body)
  }

  private func scanBack(
    _ level: UInt8, beforeEntry end: [UInt8], _ cursor: inout Cursor,
    _ body: (_ rowKey: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var entry = try cursor.seek(end.span.bytes) == nil ? cursor.last() : cursor.previous()
    while let found = entry {
      guard holds(level, found.key) else { return }
      guard try body(found.key.extracting(droppingFirst: Self.prefixLength), found.value) else { return }
      entry = try cursor.previous()
    }
  }

  /// Calls `body` with the node of a level whose range contains `rowKey`: its lower bound and counts, and the next
  /// node's lower bound if there is one. `nil` if the level has no node.
  func node<R>(
    _ level: UInt8, covering rowKey: RawSpan, _ cursor: inout Cursor,
    _ body: (_ lower: RawSpan, _ counts: Counts, _ upper: RawSpan?) throws(StorageError) -> R
  ) throws(StorageError) -> R? {
    var next: Entry?
    var entry = try cursor.seek(key(level, rowKey).span.bytes)
    if let found = entry, holds(level, found.key), found.key.byteCount == Self.prefixLength + rowKey.byteCount,
      compareBytes(found.key.extracting(droppingFirst: Self.prefixLength), rowKey) == 0
    {
      next = try cursor.next()
    } else {
      next = entry
      entry = try next == nil ? cursor.last() : cursor.previous()
    }
    guard let found = entry, holds(level, found.key) else { return nil }
    let lower = found.key.extracting(droppingFirst: Self.prefixLength)
    let counts = try counts(found.value)
    if let next, holds(level, next.key) {
      return try body(lower, counts, next.key.extracting(droppingFirst: Self.prefixLength))
    }
    return try body(lower, counts, nil)
  }

  /// The only node of the highest level; nil if the index is empty.
  func root(_ cursor: inout Cursor) throws(StorageError) -> (level: UInt8, counts: Counts)? {
    let end = key(Self.endLevel, RawSpan())
    let entry = try cursor.seek(end.span.bytes) == nil ? cursor.last() : cursor.previous()
    guard let found = entry, found.key.byteCount >= Self.prefixLength else { return nil }
    let level = found.key.unsafeLoadUnaligned(fromByteOffset: 4, as: UInt8.self)
    guard holds(level, found.key) else { return nil }
    guard level > 0, found.key.byteCount == Self.prefixLength else { throw damaged("its tree has rows, but no root") }
    return (level, try counts(found.value))
  }
}
