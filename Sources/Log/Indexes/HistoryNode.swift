import RepriseObjectModel

/// The name of a node in the history of an index. It has the position of the save that made the node, and the node's
/// number in this save.
package struct HistoryNodeID: Hashable, Sendable, CustomStringConvertible {
  package let born: Position
  package let number: UInt32

  package init(born: Position, number: UInt32) {
    self.born = born
    self.number = number
  }

  package var description: String { "tree node \(number) (added by transaction \(born))" }
}

/// A node of ``IndexHistory``, decoded to be changed. Readers decode entries one by one (``HistoryEntries``).
///
/// All keys are in one buffer, so that a node takes few allocations.
struct HistoryNode {
  /// A row of the index, with its first position and the first position without it.
  struct Row {
    /// The place of the row key.
    let key: Range<Int>
    /// The first position that has the row, or the position of the node if that is later.
    let from: Position
    /// The first position that lacks the row again. `nil` for a present row.
    var to: Position?
  }

  /// A node of the next lower level, with the number of its rows at each position.
  struct Child {
    /// The place of the lower bound of its row keys.
    let lower: Range<Int>
    let id: HistoryNodeID
    /// The first position where other nodes have its rows. `nil` for a present child.
    var died: Position?
    /// The number of rows at first: when this node began to have the child.
    var first: Int
    /// The later numbers of rows, encoded.
    var history: [UInt8] = []
    /// The present number of rows, and the first position with this number.
    var rows: Int
    var last: Position
  }

  let id: HistoryNodeID
  let level: UInt8
  var keys: [UInt8] = []
  /// On level 0: by ascending keys, and the rows of a key by ascending positions.
  var rows: [Row] = []
  /// On higher levels: by ascending lower bounds, and the children with one bound by ascending IDs.
  var children: [Child] = []
  /// The number of bytes in the table.
  var storedSize = 0

  init(_ id: HistoryNodeID, level: UInt8) {
    self.id = id
    self.level = level
  }

  init(_ id: HistoryNodeID, _ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var entries = try HistoryEntries(bytes, born: id.born)
    self.init(id, level: entries.level)
    storedSize = bytes.count
    while try entries.nextKey() {
      let key = keys.count..<keys.count + entries.key.count
      keys += entries.key
      if level == 0 {
        let (from, to) = try entries.row()
        rows.append(Row(key: key, from: from, to: to))
        continue
      }
      let child = try entries.child()
      let (count, last) = try child.rows(at: Position(.max))
      children.append(
        Child(
          lower: key, id: child.id, died: child.died, first: child.first, history: [UInt8](child.history), rows: count,
          last: last))
    }
  }

  /// The number of present rows in its range.
  var count: Int {
    level == 0
      ? rows.reduce(0) { $0 + ($1.to == nil ? 1 : 0) } : children.reduce(0) { $0 + ($1.died == nil ? $1.rows : 0) }
  }

  /// Whether a node with only the present entries is smaller, or can be divided.
  var canShrink: Bool { rows.count > 1 || children.count > 1 || children.first.map { !$0.history.isEmpty } ?? false }

  // MARK: Sizes

  /// The approximate bytes of an entry without its key.
  private static let (rowBytes, childBytes) = (4, 10)

  /// The approximate number of bytes of each present entry.
  var weights: [Int] {
    var weights: [Int] = []
    forEachPresent { key, shared in
      weights.append(key.count - shared + (level == 0 ? Self.rowBytes : Self.childBytes))
    }
    return weights
  }

  /// The approximate number of bytes of all present entries.
  var weight: Int {
    var weight = 0
    forEachPresent { key, shared in weight += key.count - shared + (level == 0 ? Self.rowBytes : Self.childBytes) }
    return weight
  }

  /// Calls `body` with the key of each present entry, and the length that it shares with the key before it.
  private func forEachPresent(_ body: (_ key: Range<Int>, _ shared: Int) -> Void) {
    keys.withUnsafeBytes { bytes in
      var last = 0..<0
      func visit(_ key: Range<Int>) {
        body(key, sharedLength(last, key, bytes))
        last = key
      }
      for row in rows where row.to == nil { visit(row.key) }
      for child in children where child.died == nil { visit(child.lower) }
    }
  }

  // MARK: Keys

  func key(_ place: Range<Int>) -> [UInt8] { Array(keys[place]) }

  /// Compares a key of this node with another key, like ``compareBytes(_:_:)``.
  func compare(_ place: Range<Int>, _ other: RawSpan) -> Int {
    compareBytes(keys.span.bytes.extracting(place), other)
  }

  /// The shortest key that sorts after one row and not after another, later one.
  func separator(_ left: Range<Int>, _ right: Range<Int>) -> [UInt8] {
    let shared = keys.withUnsafeBytes { sharedLength(left, right, $0) }
    return Array(keys[right].prefix(shared + 1))
  }

  mutating func append(key: RawSpan) -> Range<Int> {
    let start = keys.count
    key.withUnsafeBytes { keys.append(contentsOf: $0) }
    return start..<keys.count
  }

  // MARK: Bytes

  func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: keys.count + 8 * (rows.count + children.count))
    writer.append(level)
    keys.withUnsafeBytes { bytes in
      var last = 0..<0
      func add(_ key: Range<Int>) {
        let shared = sharedLength(last, key, bytes)
        writer.varint(shared)
        writer.varint(key.count - shared)
        writer.append(UnsafeRawBufferPointer(rebasing: bytes[key.dropFirst(shared)]))
        last = key
      }
      for row in rows {
        add(row.key)
        writer.varint(row.from > id.born ? row.from.number - id.born.number : 0)
        writer.varint(row.to.map { $0.number - id.born.number } ?? 0)
      }
      for child in children {
        add(child.lower)
        writer.signedVarint(Int64(bitPattern: child.id.born.number &- id.born.number))
        writer.varint(UInt64(child.id.number))
        writer.varint(child.died.map { $0.number - id.born.number } ?? 0)
        writer.varint(child.first)
        writer.sized(child.history)
      }
    }
    return writer.sealed()
  }
}

extension HistoryNode.Child {
  /// Sets the number of rows from a position on.
  mutating func set(_ rows: Int, at position: Position) {
    if last == position, history.isEmpty {
      first = rows
    } else {
      var writer = ByteWriter()
      writer.varint(position.number - last.number)
      writer.signedVarint(Int64(rows - self.rows))
      history += writer.bytes
      last = position
    }
    self.rows = rows
  }
}

private func sharedLength(_ left: Range<Int>, _ right: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Int {
  let limit = min(left.count, right.count)
  var length = 0
  while length < limit, bytes[left.lowerBound + length] == bytes[right.lowerBound + length] { length += 1 }
  return length
}
