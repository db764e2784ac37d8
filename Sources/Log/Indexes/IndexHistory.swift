import RepriseLMDB
import RepriseObjectModel

/// The history of a counted index: the rows that the index had at each position, counted at each position.
///
/// It is a multi-version B+ tree in the table `indexes`. A node belongs to a span of positions: from the save that made
/// the node to the save that **replaced** it. An entry of a node has its first position, and the first position without
/// it. So a save adds an entry to the nodes on the path of a row, and copies no node. Once a node is full, a save
/// replaces it by new nodes, which have only its present entries. A save also merges a node that has too few present
/// entries with its neighbour. So at each position the nodes are a B+ tree of ordinary fullness. A read at any position
/// costs as much as at the head.
///
/// A child's entry also has the number of the child's rows, and each later number with its position. So a save adds
/// three or four bytes on each higher level. A *root* record names the root from a position on.
///
/// The index at the head keeps its own rows (``CountedIndex``), and the history does not replace them.
package struct IndexHistory: Sendable {
  let index: CountedIndex
  let sizes: Sizes
  /// Nodes take one row each, unless keys are very long.
  let rows: ChunkedRows

  /// The sizes of nodes in bytes. Tests use smaller ones, to build deep trees of few rows.
  package struct Sizes: Sendable {
    /// A larger node is replaced.
    package var greatest: Int
    /// A node whose present entries take less is merged with a neighbour.
    package var least: Int
    /// Present entries that take more are divided among new nodes.
    package var mostOfOne: Int
    /// The approximate size of each new node. So there is room for further entries before the node is replaced.
    package var wanted: Int

    package init(greatest: Int) {
      self.greatest = greatest
      least = greatest / 5
      mostOfOne = greatest * 3 / 5
      wanted = greatest / 2
    }

    package static let standard = Sizes(greatest: 1_900)
  }

  package init(_ index: CountedIndex, sizes: Sizes = .standard) {
    self.index = index
    self.sizes = sizes
    rows = ChunkedRows(index.table, numbersFirst: true)
  }

  package init(number: UInt32, table: Table, sizes: Sizes = .standard) {
    self.init(CountedIndex(number: number, table: table), sizes: sizes)
  }

  // MARK: Keys

  /// The level of the rows of a history. It sorts after all levels of the index itself.
  package static let level = CountedIndex.endLevel

  /// The byte after the level.
  package enum Kind: UInt8 {
    /// The root from a position on.
    case root = 0
    case node = 1
    /// A node that was replaced, by the position of its replacement. So the removal of old nodes finds the node.
    case replaced = 2
    /// The state of a history that does not have all rows yet.
    case building = 3
  }

  /// The number of the index whose history has a row with this key. `nil` for a row of an index itself.
  package static func number(ofRow key: UnsafeRawBufferPointer) -> UInt32? {
    guard key.count > CountedIndex.prefixLength, key[4] == level else { return nil }
    return UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
  }

  func prefix(_ kind: Kind) -> [UInt8] { index.key(Self.level, [kind.rawValue]) }

  func key(ofRoot position: Position) -> [UInt8] { prefix(.root) + Self.bytes(position) }

  func key(_ id: HistoryNodeID) -> [UInt8] { prefix(.node) + Self.bytes(id) }

  func key(_ id: HistoryNodeID, replacedAt position: Position) -> [UInt8] {
    prefix(.replaced) + Self.bytes(position) + Self.bytes(id)
  }

  static func bytes(_ position: Position) -> [UInt8] {
    withUnsafeBytes(of: position.number.bigEndian) { [UInt8]($0) }
  }

  static func bytes(_ id: HistoryNodeID) -> [UInt8] {
    bytes(id.born) + withUnsafeBytes(of: id.number.bigEndian) { [UInt8]($0) }
  }

  /// The number of bytes before a position in a key.
  static let keyStart = CountedIndex.prefixLength + 1

  static func position(_ key: RawSpan, at offset: Int) -> Position {
    Position(UInt64(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)))
  }

  static func nodeID(_ key: RawSpan, at offset: Int) -> HistoryNodeID {
    HistoryNodeID(
      born: position(key, at: offset),
      number: UInt32(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)))
  }

  static let nodeIDSize = 12

  func holds(_ kind: Kind, _ key: RawSpan, size: Int) -> Bool {
    key.byteCount == Self.keyStart + size && holds(kind, key)
  }

  func holds(_ kind: Kind, _ key: RawSpan) -> Bool {
    index.holds(Self.level, key) && key.byteCount > CountedIndex.prefixLength
      && key.unsafeLoadUnaligned(fromByteOffset: CountedIndex.prefixLength, as: UInt8.self) == kind.rawValue
  }

  // MARK: Records

  /// The root at a position. `nil` if the history does not reach back so far.
  func root(at position: Position, _ view: View) throws(StorageError) -> HistoryNodeID? {
    try rootRecord(at: position, view)?.root
  }

  /// The record that names the root at a position.
  func rootRecord(
    at position: Position, _ view: View
  ) throws(StorageError) -> (from: Position, root: HistoryNodeID)? {
    var cursor = try view.cursor(index.table)
    // The last one before the next position. There is no position behind the last.
    let end = position.number < .max ? key(ofRoot: position + 1) : prefix(.node)
    let entry = try cursor.seek(end.span.bytes) == nil ? cursor.last() : cursor.previous()
    guard let found = entry, holds(.root, found.key, size: 8) else { return nil }
    return (Self.position(found.key, at: Self.keyStart), try nodeID(found.key, found.value))
  }

  private func nodeID(_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> HistoryNodeID {
    try value.withUnsafeBytes { (bytes) throws(StorageError) in
      try index.table.parsing(
        key.withUnsafeBytes { [UInt8]($0) }, "a tree root of the history of index \(index.number)"
      ) {
        () throws(MalformedBytes) in
        var reader = try ByteReader(sealed: bytes)
        let id = try reader.historyNodeID()
        try reader.expectEnd("the end of a root")
        return id
      }
    }
  }

  func put(
    root: HistoryNodeID, from position: Position, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var writer = ByteWriter.sealing(reserving: 16)
    writer.historyNodeID(root)
    let (key, value) = (key(ofRoot: position), writer.sealed())
    try transaction.put(index.table, key: key.span.bytes, value: value.span.bytes)
  }

  // MARK: Nodes

  /// Lends the bytes of a node to a parser.
  ///
  /// - Parameter nodes: A reader of the table.
  @inline(__always)
  func withNode<Result>(
    _ id: HistoryNodeID, _ nodes: TableReader, _ body: (UnsafeRawBufferPointer) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    let key = key(id)
    let found = try rows.read(nodes, key: key.span.bytes) { (bytes) throws(StorageError) in
      try index.table.parsing(key, "\(id) of the history of index \(index.number)") {
        () throws(MalformedBytes) in try body(bytes)
      }
    }
    guard let found else { throw damaged("\(id) is missing") }
    return found
  }

  /// - Parameter level: The level that the node must have. `nil` for a root, which may have any.
  func node(_ id: HistoryNodeID, level: UInt8?, _ view: View) throws(StorageError) -> HistoryNode {
    let nodes = view.readerOfOne(index.table)
    let node = try withNode(id, nodes) { (bytes) throws(MalformedBytes) in try HistoryNode(id, bytes) }
    if let level, node.level != level {
      throw damaged(
        "\(id) is on level \(node.level) of the tree instead of level \(level)")
    }
    return node
  }

  func damaged(_ reason: String) -> StorageError { index.damaged("in its history, \(reason)") }
}

extension ByteWriter {
  mutating func historyNodeID(_ id: HistoryNodeID) {
    position(id.born)
    varint(UInt64(id.number))
  }
}

extension ByteReader {
  mutating func historyNodeID() throws(MalformedBytes) -> HistoryNodeID {
    HistoryNodeID(born: try position("the position of a node"), number: try number("the number of a node"))
  }
}
