import RepriseObjectModel

/// Reads the entries of a node of ``IndexHistory`` in lent bytes, one after the other.
///
/// An entry begins with its key: the length that the key shares with the key before it, and the rest of the key. After
/// each ``nextKey()``, the rest of the entry must be read.
struct HistoryEntries {
  let level: UInt8
  /// The key of the current entry: a row key, or the lower bound of a child.
  private(set) var key: [UInt8] = []
  private let born: Position
  private var reader: ByteReader

  /// No tree has so many levels.
  static let levels: UInt8 = 32

  /// - Parameter born: The position of the node.
  init(_ bytes: UnsafeRawBufferPointer, born: Position) throws(MalformedBytes) {
    reader = try ByteReader(sealed: bytes)
    level = try reader.byte("the level of a node")
    guard level < Self.levels else { throw reader.fail("the level of a node") }
    self.born = born
  }

  /// Reads the key of the next entry. False after the last one.
  @inline(__always)
  mutating func nextKey() throws(MalformedBytes) -> Bool {
    if reader.isAtEnd { return false }
    let shared = Int(clamping: try reader.varint("the length of a shared key"))
    guard shared <= key.count else { throw reader.fail("the length of a shared key") }
    let rest = try reader.sized("a row key")
    // Keys ascend, and several entries may have one key.
    if shared < key.count {
      guard let next = rest.first, next > key[shared] else { throw reader.fail("a later row key") }
      key.removeLast(key.count - shared)
    }
    key.append(contentsOf: rest)
    return true
  }

  /// Reads the rest of an entry on level 0: the first position with the row, and the first position without it.
  @inline(__always)
  mutating func row() throws(MalformedBytes) -> (from: Position, to: Position?) {
    let from = try position() ?? born
    let to = try position()
    if let to, to <= from { throw reader.fail("an end of a row that is later than its beginning") }
    return (from, to)
  }

  /// Reads the rest of an entry on a higher level.
  @inline(__always)
  mutating func child() throws(MalformedBytes) -> HistoryChild {
    let distance = try reader.signedVarint("the position of a node")
    let (position, overflow) =
      distance < 0
      ? born.number.subtractingReportingOverflow(distance.magnitude)
      : born.number.addingReportingOverflow(distance.magnitude)
    guard !overflow else { throw reader.fail("the position of a node") }
    let id = HistoryNodeID(born: Position(position), number: try reader.number("the number of a node"))
    let died = try self.position()
    let first = try reader.rowCount()
    let history = try reader.sized("the row counts of a node")
    return HistoryChild(id: id, died: died, first: first, start: max(born, id.born), history: history)
  }

  /// A position after the node's own. `nil` for none.
  @inline(__always)
  private mutating func position() throws(MalformedBytes) -> Position? {
    let distance = try reader.varint("a distance of positions")
    if distance == 0 { return nil }
    let (number, overflow) = born.number.addingReportingOverflow(distance)
    guard !overflow else { throw reader.fail("a distance of positions") }
    return Position(number)
  }
}

/// An entry for a node of the next lower level, in lent bytes.
struct HistoryChild {
  let id: HistoryNodeID
  let died: Position?
  /// The child's first number of rows, and the first position with this number.
  let first: Int
  let start: Position
  let history: UnsafeRawBufferPointer

  /// Whether the tree has the child at a position, which must not be before the node that has the entry.
  @inline(__always)
  func isThere(at position: Position) -> Bool { id.born <= position && died.map { position < $0 } ?? true }

  /// The number of rows at a position, and the first position with this number.
  @inline(__always)
  func rows(at position: Position) throws(MalformedBytes) -> (count: Int, last: Position) {
    var (rows, last) = (first, start)
    if history.isEmpty { return (rows, last) }
    var reader = ByteReader(history)
    while !reader.isAtEnd {
      let distance = try reader.varint("a distance of positions")
      let (number, overflow) = last.number.addingReportingOverflow(distance)
      guard distance > 0, !overflow else { throw reader.fail("a distance of positions") }
      if number > position.number { break }
      let difference = try reader.signedVarint("a number of rows")
      guard difference.magnitude < 1 << 40 else { throw reader.fail("a number of rows") }
      (rows, last) = (rows + Int(difference), Position(number))
      guard rows >= 0, rows < 1 << 40 else { throw reader.fail("a number of rows") }
    }
    return (rows, last)
  }
}

extension ByteReader {
  /// No file has room for more rows, and sums of such numbers do not overflow.
  fileprivate mutating func rowCount() throws(MalformedBytes) -> Int {
    let count = try varint("a number of rows")
    guard count < 1 << 40 else { throw fail("a number of rows") }
    return Int(count)
  }
}
