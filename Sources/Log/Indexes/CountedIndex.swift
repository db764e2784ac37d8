import RepriseLMDB

/// An order-statistic B+tree in the table `indexes`: a sorted set of row keys with count, rank and select in O(log n).
///
/// Key: index number u32 big-endian · level u8 · row key. Level 0 holds the rows, with empty values. From level 1 on,
/// an entry is a *count node*. Its row key is the lower bound of a range that ends at the next node of its level. Its
/// value is the number of rows (u64) and of entries of the level below (u32, both little-endian) in that range.
///
/// The invariants after every transaction, which `verify` checks:
/// - The first node of every level has the empty row key, so that every entry belongs to a node.
/// - A node's counts equal the counts of the level below within its range.
/// - A node has 1 to `fanOut.maximum` children, and at least `fanOut.minimum` unless it is its level's first or last.
/// - The highest level has one node, the root; every node level below it has more. An empty index has no nodes.
///
/// A node's lower bound may be less than its first child's, because a merge across two parents does not move the bounds
/// above it. So ranks are computed from the row up. On each level, the parent is the node of the next level whose range
/// covers this node's lower bound.
package struct CountedIndex: Sendable {
  package let number: UInt32
  package let table: Table
  let fanOut: FanOut

  package init(number: UInt32, table: Table, fanOut: FanOut = .standard) {
    self.number = number
    self.table = table
    self.fanOut = fanOut
  }

  /// The number of children of a count node. Every index of a store uses ``standard``; tests use a smaller one to build
  /// deep trees of few rows.
  package struct FanOut: Sendable {
    /// A node with more children is split.
    package var maximum: Int
    /// A node with fewer children is merged with its neighbour. Well under half of the maximum, so that inserting and
    /// deleting around one size does not alternate between splits and merges.
    package var minimum: Int
    /// The number of children of each new node when rows are added at either end. Few rows will be inserted between
    /// them.
    package var dense: Int
    /// Children of each new node otherwise: leaves room before the next split.
    package var loose: Int

    package init(maximum: Int, minimum: Int, dense: Int, loose: Int) {
      self.maximum = maximum
      self.minimum = minimum
      self.dense = dense
      self.loose = loose
    }

    package static let standard = FanOut(maximum: 128, minimum: 32, dense: 112, loose: 96)
  }

  package static let prefixLength = 5
  /// Sorts after every level.
  static let endLevel: UInt8 = 0xFF
}

extension CountedIndex {
  /// A count node's value.
  struct Counts {
    var rows: Int
    var children: Int

    static let byteCount = 12
  }

  package func key(_ level: UInt8, _ rowKey: [UInt8]) -> [UInt8] {
    key(level, rowKey.span.bytes)
  }

  func key(_ level: UInt8, _ rowKey: RawSpan) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.prefixLength + rowKey.byteCount) { buffer, count in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      bytes.storeBytes(of: number.bigEndian, as: UInt32.self)
      bytes[4] = level
      rowKey.withUnsafeBytes { rowKey in
        UnsafeMutableRawBufferPointer(rebasing: bytes[Self.prefixLength...]).copyMemory(from: rowKey)
      }
      count = Self.prefixLength + rowKey.byteCount
    }
  }

  /// Whether a key of the table belongs to this level of this index.
  func holds(_ level: UInt8, _ key: RawSpan) -> Bool {
    key.byteCount >= Self.prefixLength
      && key.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self) == number.bigEndian
      && key.unsafeLoadUnaligned(fromByteOffset: 4, as: UInt8.self) == level
  }

  func counts(_ value: RawSpan) throws(StorageError) -> Counts {
    guard value.byteCount == Counts.byteCount else {
      throw damaged("a tree node has \(value.byteCount) bytes instead of 12")
    }
    let rows = UInt64(littleEndian: value.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
    let children = UInt32(littleEndian: value.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt32.self))
    // No file has room for so many rows, and sums of smaller counts do not overflow.
    guard rows < 1 << 40 else { throw damaged("a tree node counts \(rows) rows, which is impossible") }
    return Counts(rows: Int(rows), children: Int(children))
  }

  func bytes(_ counts: Counts) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Counts.byteCount) { buffer, count in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      bytes.storeBytes(of: UInt64(counts.rows).littleEndian, as: UInt64.self)
      bytes.storeBytes(of: UInt32(counts.children).littleEndian, toByteOffset: 8, as: UInt32.self)
      count = Counts.byteCount
    }
  }

  package func damaged(_ reason: String) -> StorageError { table.damagedIndex(number, reason) }
}
