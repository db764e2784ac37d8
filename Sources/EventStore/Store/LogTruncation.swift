import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Removes the rows before the floor of the log, in slices. First come the tombstones of objects that were deleted
/// before it. Then come the parts of histories of indexes that only earlier positions need, and at last the
/// transactions. Blobs that only these transactions referred to become unused.
///
/// The rows of the log are removed last, oldest first. As long as one is left, any process that begins finds work.
struct LogTruncation {
  let tables: StoreTables
  let environment: Environment

  /// The most rows that are removed, or looked at, in a commit.
  private static let (removed, visited) = (400, 4_000)

  /// The tombstone to continue from. `nil` once all were checked.
  private var next: ObjectKey? = ObjectKey(tombstoneOf: 0, uuid: .zero)
  /// The indexes whose histories are still to be looked at. `nil` before they are known.
  private var histories: [UInt32]?
  /// The blobs that something behind the floor refers to. `nil` before the walk begins.
  private var needed: BlobReferenceWalk?

  init(_ environment: Environment, _ tables: StoreTables) {
    (self.environment, self.tables) = (environment, tables)
  }

  /// Whether something lies before the floor. O(log n).
  static func isNeeded(_ tables: StoreTables, _ view: View) throws(StorageError) -> Bool {
    let floor = try MetaTable(tables.meta).firstPosition(view)
    if floor == 1 { return false }
    return try LogTable(tables.log).firstPosition(before: floor, view) != nil
  }

  /// Takes the next step, with at most one short commit. Returns the remaining range, or `nil` if nothing is left to
  /// do.
  mutating func step() throws(StorageError) -> (first: Position, floor: Position)? {
    let log = LogTable(tables.log)
    let (floor, first, schema) = try environment.read { (transaction) throws(StorageError) in
      let meta = MetaTable(tables.meta)
      let floor = try meta.firstPosition(transaction.view)
      return (
        floor, try log.firstPosition(before: floor, transaction.view), try meta.schema(transaction.view)
      )
    }
    guard let first, floor > 1 else { return nil }
    if let key = next {
      next = try removeTombstones(from: key, before: floor)
      return (first, floor)
    }
    if histories == nil {
      histories = schema.entities.flatMap(\.properties).filter(\.keepsHistory).compactMap(\.index)
    }
    if let number = histories?.last {
      if try removeHistory(of: number, before: floor) { histories?.removeLast() }
      return (first, floor)
    }
    if needed?.isAtHead != true {
      var walk = needed ?? BlobReferenceWalk(schema)
      try environment.read { (transaction) throws(StorageError) in try walk.step(tables, transaction.view) }
      needed = walk
      return (first, floor)
    }
    return try removeTransactions(before: floor, log).map { ($0, floor) }
  }

  private func removeTombstones(
    from first: ObjectKey, before floor: Position
  ) throws(StorageError) -> ObjectKey? {
    try environment.write { (transaction) throws(StorageError) in
      let rows = ObjectTable(tables).rows
      var old: [(key: ObjectKey, size: Int)] = []
      var (visited, next) = (0, ObjectKey?.none)
      let start = CollectionOfOne(first)
      try rows.scan(transaction.view, from: start.span.bytes) { (key, bytes) throws(StorageError) in
        guard let key = ObjectKey(key), key.isTombstone else { return true }
        visited += 1
        if visited > Self.visited || old.count >= Self.removed {
          next = key
          return false
        }
        // A tombstone that cannot be read stays, and `verify()` reports it.
        if let record = try? RecordReader(bytes), record.position < floor { old.append((key, bytes.count)) }
        return true
      }
      for (key, size) in old {
        let key = CollectionOfOne(key)
        try rows.delete(transaction, key: key.span.bytes, size: size)
      }
      return next
    }
  }

  /// Removes parts of an index's history that only earlier positions need. The state right before the floor can still
  /// be read. True if nothing is left to remove.
  private func removeHistory(of number: UInt32, before floor: Position) throws(StorageError) -> Bool {
    try environment.write { (transaction) throws(StorageError) in
      try IndexHistory(number: number, table: tables.indexes)
        .drop(before: floor - 1, limit: Self.removed, in: transaction)
    }
  }

  private mutating func removeTransactions(
    before floor: Position, _ log: LogTable
  ) throws(StorageError) -> Position? {
    var known = needed
    defer { needed = known }
    let tables = tables
    return try environment.write { (transaction) throws(StorageError) in
      var unused = known.flatMap { $0.references.areNone ? nil : $0.references.emptied }
      let rows = try log.rows(before: floor, limit: Self.removed, transaction.view)
      // A frame is removed with its first row. The remaining rows are not a frame.
      for position in rows.compactMap(\.frame) where unused != nil {
        try log.withBytes(position, transaction.view) { bytes in
          // A frame that cannot be read is removed as well, because nothing reads it any more.
          guard let frame = try? LogFrame(bytes), let events = try? frame.events.all() else { return }
          for event in events { try? unused?.add(event) }
        }
      }
      try transaction.delete(tables.log, shown: rows.map(\.key))
      // Each clock step belongs to a dropped transaction, so none is left when the last of these is removed.
      try MetaTable(tables.meta).removeClockSteps(before: floor, limit: 2 * Self.removed, transaction)
      if let unused, !unused.blobs.isEmpty {
        let table = try BlobTable(tables, transaction.view)
        // Meanwhile, another context may have saved a value from the past that refers to a blob.
        repeat { try known?.step(tables, transaction.view) } while known?.isAtHead == false
        for blob in unused.blobs where known?.references.blobs.contains(blob) == false {
          if try table.has(blob, transaction.view) { try table.setUnused(blob.digest, transaction) }
        }
      }
      return try log.firstPosition(before: floor, transaction.view)
    }
  }
}
