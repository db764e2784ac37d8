import RepriseLMDB
import RepriseObjectModel

/// The table `values`: long values, in chunks. Docs/FileFormat/values.md.
///
/// A splice rewrites the chunks that it touches.
package struct LongValueTable {
  private enum Place {
    // Holds the class, because reads of records copy this value.
    case store(StoreTables)
    case table(Table)
  }

  private let place: Place

  package init(_ tables: StoreTables) { place = .store(tables) }

  package init(_ table: Table) { place = .table(table) }

  package static let name = "values"

  package func table(_ view: View) throws(StorageError) -> Table {
    switch place {
    case .store(let tables): try tables.values.table(view)
    case .table(let table): table
    }
  }

  func damaged(_ object: UniqueID, _ property: UInt32, _ reason: String) -> StorageError {
    let path =
      switch place {
      case .store(let tables): tables.meta.path
      case .table(let table): table.path
      }
    return .damagedRow(
      table: Self.name, key: LongValueKey(object: object, property: property, order: 0).bytes,
      reason: "the value of the property with the number \(property) of the object \(object) \(reason)",
      StorageError.Site(.decode, path))
  }

  // MARK: Reading

  /// Appends a value's bytes.
  ///
  /// - Throws: Damage, if a chunk is damaged, or if their number differs from the record. ``verify(_:of:_:_:)`` checks
  ///   their digest.
  func read(
    _ value: LongValue, of object: UniqueID, _ property: UInt32, _ view: View, into bytes: inout [UInt8]
  ) throws(StorageError) {
    // The stored length may be damaged, so the reserved capacity is limited.
    bytes.reserveCapacity(bytes.count + Int(min(value.length, 1 << 20)))
    var missing = value.length
    try forEachChunk(of: object, property, view) { (_, piece) throws(MalformedBytes) in
      guard piece.count <= missing else { throw MalformedBytes("the end of the value", at: 0) }
      missing -= UInt64(piece.count)
      bytes.append(contentsOf: piece)
    }
    if missing > 0 { throw damaged(object, property, "lacks \(missing) of \(value.length) bytes") }
  }

  /// Whether a value's bytes match its digest, and the number of its rows.
  ///
  /// - Throws: As reading it does.
  package func verify(
    _ value: LongValue, of object: UniqueID, _ property: UInt32, _ view: View
  ) throws(StorageError) -> (isSound: Bool, rows: Int) {
    var (hash, length, rows) = (SHA256(), UInt64(0), 0)
    try forEachChunk(of: object, property, view) { (_, piece) throws(MalformedBytes) in
      hash.update(piece)
      length += UInt64(piece.count)
      rows += 1
    }
    if length != value.length { throw damaged(object, property, "has \(length) of \(value.length) bytes") }
    return (LongValue(isText: value.isText, length: length, hash: hash.finish()) == value, rows)
  }

  /// How many rows there are. O(n).
  package func rowCount(_ view: View) throws(StorageError) -> Int {
    var cursor = try view.cursor(table(view))
    var count = 0
    while try cursor.next() != nil { count += 1 }
    return count
  }

  /// Calls `body` with the chunks of a value, in its order.
  func forEachChunk(
    of object: UniqueID, _ property: UInt32, _ view: View,
    _ body: (_ order: UInt64, UnsafeRawBufferPointer) throws(MalformedBytes) -> Void
  ) throws(StorageError) {
    let table = try table(view)
    let first = LongValueKey(object: object, property: property, order: 0).bytes
    var cursor = try view.cursor(table)
    var found = try cursor.seek(first.span.bytes)
    while let row = found {
      guard let key = row.key.withUnsafeBytes({ LongValueKey($0) }), key.object == object, key.property == property
      else {
        return
      }
      try table.parsing(key.bytes, "a chunk of the property with the number \(property) of the object \(object)") {
        () throws(MalformedBytes) in
        try row.value.withUnsafeBytes { (bytes) throws(MalformedBytes) in
          try body(key.order, try ValueChunk.piece(bytes))
        }
      }
      found = try cursor.next()
    }
  }

  // MARK: Writing

  /// Writes a whole value.
  func write(
    _ value: UnsafeRawBufferPointer, of object: UniqueID, _ property: UInt32,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let table = try table(transaction.view)
    try remove(object, property, transaction)
    let chunks = ValueChunk.count(of: value.count)
    // Every second chunk first. LMDB splits a page of two rows in half for a third row. Then the remaining chunks fit
    // beside the first ones.
    for first in 0..<2 {
      for chunk in stride(from: first, to: chunks, by: 2) {
        let piece = value[(chunk * ValueChunk.maximum)..<min((chunk + 1) * ValueChunk.maximum, value.count)]
        let order = UInt64(chunk + 1) * LongValueKey.gap
        try put(piece, LongValueKey(object: object, property: property, order: order), table, transaction)
      }
    }
  }

  private func put(
    _ piece: Slice<UnsafeRawBufferPointer>, _ key: LongValueKey, _ table: Table,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let key = key.bytes
    let row = ValueChunk.encoded(UnsafeRawBufferPointer(rebasing: piece))
    try transaction.put(table, key: key.span.bytes, value: row.span.bytes)
  }

  /// Replaces a value by another one. Reads the lengths of all its chunks, and writes the chunks that change.
  func change(
    _ old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, of object: UniqueID, _ property: UInt32,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var layout = LongValueLayout()
    try forEachChunk(of: object, property, transaction.view) { order, piece in layout.add(order, piece.count) }
    guard layout.isOf(length: old.count) else {
      throw damaged(object, property, "is stored with another length than this change expects")
    }
    let splice = Splice(from: old, to: new, isText: false)
    guard let plan = layout.plan(for: splice) else { return try write(new, of: object, property, transaction) }
    let table = try table(transaction.view)
    for (order, range) in plan.written {
      try put(new[range], LongValueKey(object: object, property: property, order: order), table, transaction)
    }
    for order in plan.removed {
      let key = LongValueKey(object: object, property: property, order: order).bytes
      try transaction.delete(table, key: key.span.bytes)
    }
  }

  /// Removes a value.
  func remove(
    _ object: UniqueID, _ property: UInt32, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let table = try table(transaction.view)
    for key in try keys(of: object, property, table, transaction.view) {
      try transaction.delete(table, key: key.span.bytes)
    }
  }

  /// The keys of a value's rows. The content of the rows is not read.
  private func keys(
    of object: UniqueID, _ property: UInt32, _ table: Table, _ view: View
  ) throws(StorageError) -> [[UInt8]] {
    let first = LongValueKey(object: object, property: property, order: 0).bytes
    var keys: [[UInt8]] = []
    var cursor = try view.cursor(table)
    var found = try cursor.seek(first.span.bytes)
    while let row = found, row.key.byteCount == LongValueKey.size,
      row.key.withUnsafeBytes({ $0[..<LongValueKey.orderOffset].elementsEqual(first[..<LongValueKey.orderOffset]) })
    {
      keys.append(row.key.withUnsafeBytes { [UInt8]($0) })
      found = try cursor.next()
    }
    return keys
  }

  /// Removes all values.
  package func removeAll(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    try transaction.removeAll(table(transaction.view))
  }
}
