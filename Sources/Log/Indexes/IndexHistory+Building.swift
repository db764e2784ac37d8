import RepriseLMDB
import RepriseObjectModel

// A history begins with the rows that the index has. With many rows that takes several commits. Meanwhile saves add
// their changes to the part that is there, so the part is always as the index is now. Once all rows are there, the
// history has its first root, at the head of that moment.

extension IndexHistory {
  /// The state of a history that does not have all rows yet.
  struct Building {
    /// The position of its nodes. All changes go to that position, because no reader sees them.
    let start: Position
    /// The history has the rows before this row key.
    var next: [UInt8]
    var root: HistoryNodeID
  }

  /// How far a history has been built.
  package enum State: Equatable, Sendable {
    /// The history is not begun, and saves do not add to it.
    case none
    case building
    /// The history reaches back to this position.
    case kept(from: Position)
  }

  package func state(_ view: View) throws(StorageError) -> State {
    if try building(view) != nil { return .building }
    return try firstPosition(view).map { .kept(from: $0) } ?? .none
  }

  /// The first position that has a root. `nil` if none has.
  package func firstPosition(_ view: View) throws(StorageError) -> Position? {
    let first = prefix(.root)
    var cursor = try view.cursor(index.table)
    guard let entry = try cursor.seek(first.span.bytes), holds(.root, entry.key, size: 8) else { return nil }
    return Self.position(entry.key, at: Self.keyStart)
  }

  // MARK: Steps

  /// Begins a history at a position. ``build(limit:from:in:)`` must follow, in this commit or later ones.
  package func begin(at position: Position, in transaction: borrowing WriteTransaction) throws(StorageError) {
    let root = HistoryNode(HistoryNodeID(born: position, number: 0), level: 0)
    let (key, bytes) = (key(root.id), root.encoded())
    try rows.put(transaction, key: key.span.bytes, value: bytes, replacing: 0)
    try put(Building(start: position, next: [], root: root.id), transaction)
  }

  /// Adds the next rows of the index. After the last ones, the history is complete, and readers find it from `head` on.
  /// True if it is complete.
  ///
  /// - Parameters:
  ///   - limit: The number of rows, above 0.
  ///   - head: The position of the rows that the index has.
  package func build(
    limit: Int, from head: Position, in transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    guard let building = try building(transaction.view) else { return true }
    var added = IndexChanges(index: index.number)
    var next: [UInt8]?
    try index.forEach(at: building.next.span.bytes, limit: limit + 1, in: transaction.view) { row in
      if added.count == limit {
        next = [UInt8](copying: row)
        return false
      }
      added.add([UInt8](copying: row), isInsert: true)
      return true
    }
    let root = try run(added, building, transaction)
    if let next {
      try put(Building(start: building.start, next: next, root: root), transaction)
      return false
    }
    try transaction.delete(index.table, key: prefix(.building).span.bytes)
    try put(root: root, from: head, transaction)
    return true
  }

  /// Adds the changes of a save to the finished part of the history.
  func add(_ changes: borrowing IndexChanges, in transaction: borrowing WriteTransaction) throws(StorageError) {
    guard !changes.isEmpty, var building = try building(transaction.view) else { return }
    let root = try run(changes, building, transaction)
    if root == building.root { return }
    building.root = root
    try put(building, transaction)
  }

  private func run(
    _ changes: borrowing IndexChanges, _ building: Building, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> HistoryNodeID {
    if changes.isEmpty { return building.root }
    var update = HistoryUpdate(self, at: building.start, made: try madeNodes(at: building.start, transaction.view))
    return try update.run(changes, building.root, transaction)
  }

  /// One more than the greatest number of a node of a position.
  private func madeNodes(at position: Position, _ view: View) throws(StorageError) -> UInt32 {
    var cursor = try view.cursor(index.table)
    let end = key(HistoryNodeID(born: position + 1, number: 0))
    guard let entry = try cursor.seek(end.span.bytes) == nil ? cursor.last() : cursor.previous(),
      entry.key.byteCount >= Self.keyStart + Self.nodeIDSize, holds(.node, entry.key)
    else { return 0 }
    let id = Self.nodeID(entry.key, at: Self.keyStart)
    return id.born == position ? id.number + 1 : 0
  }

  /// The sum of the rows that an unfinished history must have: all rows of the index before the next one to add.
  package func sumOfBuilt(_ view: View) throws(StorageError) -> RowSum {
    var sum = RowSum()
    guard let building = try building(view) else { return sum }
    try index.forEach(at: RawSpan(), in: view) { row in
      guard compareBytes(building.next, row) > 0 else { return false }
      sum.begin(row, at: building.start)
      return true
    }
    return sum
  }

  // MARK: The record

  func building(_ view: View) throws(StorageError) -> Building? {
    let key = prefix(.building)
    guard let value = try view.get(index.table, key: key.span.bytes) else { return nil }
    return try value.withUnsafeBytes { (bytes) throws(StorageError) in
      try index.table.parsing(key, "the record of the unfinished history of index \(index.number)") {
        () throws(MalformedBytes) in
        var reader = try ByteReader(sealed: bytes)
        let start = try reader.position()
        let root = try reader.historyNodeID()
        let next = [UInt8](try reader.sized("a row key"))
        try reader.expectEnd("the end of the record")
        return Building(start: start, next: next, root: root)
      }
    }
  }

  private func put(_ building: Building, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    var writer = ByteWriter.sealing(reserving: 32 + building.next.count)
    writer.position(building.start)
    writer.historyNodeID(building.root)
    writer.sized(building.next)
    let (key, value) = (prefix(.building), writer.sealed())
    try transaction.put(index.table, key: key.span.bytes, value: value.span.bytes)
  }
}
