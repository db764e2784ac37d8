import RepriseLMDB
import RepriseObjectModel

extension CountedIndex {
  /// The number of rows. O(log n), one seek.
  package func count(in view: View) throws(StorageError) -> Int {
    try withCursor(view) { cursor throws(StorageError) in try root(&cursor)?.counts.rows ?? 0 }
  }

  /// Rank: the number of rows that sort before `rowKey`, and whether it is a row itself. `rowKey` may be any bytes: a
  /// prefix gives the rank of the first row that begins with it. O(log n), two seeks per level.
  package func place(of rowKey: RawSpan, in view: View) throws(StorageError) -> RowPlace {
    try withCursor(view) { cursor throws(StorageError) in try place(of: rowKey, &cursor) }
  }

  /// Select: the row of this rank, counted from 0, or nil if there is none. O(log n), one seek per level.
  package func rowKey(at rank: Int, in view: View) throws(StorageError) -> [UInt8]? {
    try withCursor(view) { cursor throws(StorageError) in
      guard let start = try bucket(of: rank, &cursor) else { return nil }
      return try rowKey(start, &cursor)
    }
  }

  func withCursor<R>(
    _ view: View, _ body: (inout Cursor) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    var cursor = try view.cursor(table)
    return try body(&cursor)
  }

  private func place(of rowKey: RawSpan, _ cursor: inout Cursor) throws(StorageError) -> RowPlace {
    var place = RowPlace(rank: 0, isThere: false)
    guard var lower = try node(1, covering: rowKey, &cursor, { lower, _, _ in [UInt8](copying: lower) }) else {
      return place
    }
    let wanted = key(0, rowKey)
    if try cursor.seek(key(0, lower).span.bytes) != nil,
      let found = try cursor.advance(to: wanted.span.bytes, counting: &place.rank)
    {
      place.isThere = compareBytes(found.key, wanted.span.bytes) == 0
    }
    var level: UInt8 = 1
    // Only the first node of a level has the empty lower bound, and nothing precedes it.
    while !lower.isEmpty {
      let parent = try node(level + 1, covering: lower.span.bytes, &cursor) { lower, _, _ in [UInt8](copying: lower) }
      guard let parent else {
        throw damaged(
          "level \(level) of the tree has several nodes, and level \(level + 1) has none")
      }
      if try cursor.seek(key(level, parent).span.bytes) != nil {
        _ = try cursor.advance(to: key(level, lower).span.bytes) { (value) throws(StorageError) in
          place.rank += try counts(value).rows
        }
      }
      lower = parent
      level += 1
    }
    return place
  }

  /// A level-1 node by its lower bound, and how many of its rows to skip.
  struct BucketPlace {
    var lower: [UInt8]
    var skip: Int
  }

  func bucket(of rank: Int, _ cursor: inout Cursor) throws(StorageError) -> BucketPlace? {
    guard rank >= 0, let root = try root(&cursor), rank < root.counts.rows else { return nil }
    var lower: [UInt8] = []
    var skip = rank
    var level = root.level
    while level > 1 {
      level -= 1
      var child: Entry?
      if try cursor.seek(key(level, lower).span.bytes) != nil {
        child = try cursor.advance(whileValue: { (value) throws(StorageError) in
          let rows = try counts(value).rows
          if skip < rows { return false }
          skip -= rows
          return true
        })
      }
      guard let child, holds(level, child.key) else {
        throw damaged("a tree node on level \(level + 1) has fewer rows than it counts")
      }
      lower = [UInt8](copying: child.key.extracting(droppingFirst: Self.prefixLength))
    }
    return BucketPlace(lower: lower, skip: skip)
  }

  func rowKey(_ place: BucketPlace, _ cursor: inout Cursor) throws(StorageError) -> [UInt8] {
    guard try cursor.seek(key(0, place.lower).span.bytes) != nil, let found = try cursor.advance(by: place.skip),
      holds(0, found.key)
    else { throw damaged("a tree node on level 1 has fewer rows than it counts") }
    return [UInt8](copying: found.key.extracting(droppingFirst: Self.prefixLength))
  }
}
