import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The table `projections`: the rows of all projections, each behind its number, and the state of each.
/// Docs/FileFormat/projections.md.
struct ProjectionTable: Sendable {
  static let name = "projections"
  /// The longest key of a row, as bytes.
  static let longestKey = 480

  let rows: ChunkedRows

  /// The table in a view. If the view belongs to a writer, the table stays valid after the commit.
  init(_ tables: StoreTables, _ view: borrowing View) throws(StorageError) {
    rows = ChunkedRows(try tables.projections.table(copy view), numbersFirst: false)
  }

  /// Removes all rows and states. The next installation of each projection makes its rows again.
  static func removeAll(
    of tables: StoreTables, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try transaction.removeAll(tables.projections.table(transaction.view))
  }

  // MARK: States

  private static func stateKey(_ name: String) -> [UInt8] { prefix(0) + Array(name.utf8) }

  func state(of name: String, _ view: borrowing View) throws(StorageError) -> ProjectionState? {
    let key = Self.stateKey(name)
    return try rows.read(view.reader(rows.table), key: key.span.bytes, "the state of the projection '\(name)'") {
      (bytes) throws(MalformedBytes) in try ProjectionState(encoded: bytes)
    }
  }

  /// The state of a projection. `nil` if there is none, or if it is damaged.
  func readableState(of name: String, _ view: borrowing View) throws(StorageError) -> ProjectionState? {
    do throws(StorageError) {
      return try state(of: name, view)
    } catch {
      if error.damage != nil { return nil }
      throw error
    }
  }

  /// All states, by name.
  func states(_ view: borrowing View) throws(StorageError) -> [String: ProjectionState] {
    var found: [String: ProjectionState] = [:]
    let prefix = Self.prefix(0)
    try rows.scan(view, from: prefix.span.bytes) { (key, bytes) throws(StorageError) in
      guard key.starts(with: prefix) else { return false }
      let name = String(decoding: key.dropFirst(4), as: UTF8.self)
      found[name] = try rows.table.parsing([UInt8](key), "the state of the projection '\(name)'") {
        () throws(MalformedBytes) in try ProjectionState(encoded: bytes)
      }
      return true
    }
    return found
  }

  func put(
    _ state: ProjectionState, of name: String, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let (key, value) = (Self.stateKey(name), state.encoded())
    try transaction.put(rows.table, key: key.span.bytes, value: value.span.bytes)
  }

  // MARK: Rows

  static func prefix(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } }

  /// The latest version of a row sorts first.
  private static func key(_ number: UInt32, _ key: [UInt8], at position: Position?) -> [UInt8] {
    let bare = prefix(number) + key
    guard let position else { return bare }
    return bare + withUnsafeBytes(of: (~position.number).bigEndian) { [UInt8]($0) }
  }

  /// The value of a row. If the projection keeps the past, the value at `position`.
  func value(
    of key: [UInt8], _ number: UInt32, at position: Position?, _ view: borrowing View
  ) throws(StorageError) -> [PropertyValue]? {
    let stored = Self.key(number, key, at: position)
    guard position != nil else {
      return try rows.read(view.reader(rows.table), key: stored.span.bytes, "a row of a projection") {
        (bytes) throws(MalformedBytes) in try Self.value(bytes)
      } ?? nil
    }
    var found: [PropertyValue]?
    let bare = Self.key(number, key, at: nil)
    try rows.scan(view, from: stored.span.bytes) { (next, bytes) throws(StorageError) in
      if next.starts(with: bare) { found = try value(bytes, next) }
      return false
    }
    return found
  }

  /// Calls `body` with the rows from a key on, in their order, until it returns false.
  func scan(
    _ number: UInt32, from start: [UInt8], at position: Position?, _ view: borrowing View,
    _ body: (ArraySlice<UInt8>, [PropertyValue]) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var last: ArraySlice<UInt8> = []
    try forEachVersion(number, from: start, isVersioned: position != nil, view) {
      (key, version, value) throws(StorageError) in
      if let version, let position {
        if version > position || key == last { return true }
        last = key
      }
      guard let value else { return true }
      return try body(key, value)
    }
  }

  /// Calls `body` with each version of each row, the latest version of a row first. The value is `nil` if the version
  /// removed the row.
  func forEachVersion(
    _ number: UInt32, from start: [UInt8], isVersioned: Bool, _ view: borrowing View,
    _ body: (ArraySlice<UInt8>, Position?, [PropertyValue]?) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let prefix = Self.prefix(number)
    let first = prefix + start
    try rows.scan(view, from: first.span.bytes) { (stored, bytes) throws(StorageError) in
      guard stored.starts(with: prefix) else { return false }
      let value = try value(bytes, stored)
      let key = [UInt8](stored)
      guard isVersioned, key.count >= 12 else { return try body(key[4...], nil, value) }
      let version = stored.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self)
      return try body(key[4..<(key.count - 8)], Position(~UInt64(bigEndian: version)), value)
    }
  }

  private func value(_ bytes: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) throws(StorageError)
    -> [PropertyValue]?
  {
    try rows.table.parsing([UInt8](key), "a row of a projection") { () throws(MalformedBytes) in try Self.value(bytes) }
  }

  private static func value(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) -> [PropertyValue]? {
    var reader = try ByteReader(sealed: bytes)
    let isThere = try reader.byte("the flag of a row") != 0
    let values = isThere ? try RowCoding.values(&reader) : nil
    try reader.expectEnd("the end of a row")
    return values
  }

  /// Sets or removes a row. If the projection keeps the past, adds a version.
  func put(
    _ value: [PropertyValue]?, for key: [UInt8], _ number: UInt32, at position: Position?,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let stored = Self.key(number, key, at: position)
    let oldSize = try rows.read(transaction.view, key: stored.span.bytes) { $0.count } ?? 0
    guard value != nil || position != nil else {
      if oldSize > 0 { try rows.delete(transaction, key: stored.span.bytes, size: oldSize) }
      return
    }
    var writer = ByteWriter.sealing(reserving: 32)
    writer.append(value == nil ? 0 : 1)
    if let value { writer.append(RowCoding.encoded(value)) }
    try rows.put(transaction, key: stored.span.bytes, value: writer.sealed(), replacing: oldSize)
  }

  /// Removes some rows. True if there are no more.
  func removeSome(
    of number: UInt32, limit: Int, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    let prefix = Self.prefix(number)
    var keys: [[UInt8]] = []
    try readKeys(from: prefix, limit: limit, transaction.view) { keys.append($0) }
    try transaction.delete(rows.table, shown: keys)
    return keys.count < limit
  }

  private func readKeys(
    from prefix: [UInt8], limit: Int, _ view: borrowing View, _ body: ([UInt8]) -> Void
  ) throws(StorageError) {
    var cursor = try view.cursor(rows.table)
    var entry = try cursor.seek(prefix.span.bytes)
    var count = 0
    while let found = entry, count < limit {
      let key = found.key.withUnsafeBytes { [UInt8]($0) }
      guard key.starts(with: prefix) else { return }
      body(key)
      count += 1
      entry = try cursor.next()
    }
  }

  /// The numbers with rows, and the numbers of all readable states.
  func takenNumbers(_ view: borrowing View) throws(StorageError) -> Set<UInt32> {
    var taken = try numbers(view)
    let prefix = Self.prefix(0)
    try rows.scan(view, from: prefix.span.bytes) { (key, bytes) throws(StorageError) in
      guard key.starts(with: prefix) else { return false }
      if let state = try? ProjectionState(encoded: bytes) { taken.insert(state.number) }
      return true
    }
    return taken
  }

  private static func number(_ prefix: [UInt8]) -> UInt32 { prefix.reduce(0) { $0 << 8 | UInt32($1) } }

  /// The numbers under which there are rows.
  func numbers(_ view: borrowing View) throws(StorageError) -> Set<UInt32> {
    var found: Set<UInt32> = []
    var cursor = try view.cursor(rows.table)
    var next = [UInt8](repeating: 0, count: 4)
    while let entry = try cursor.seek(next.span.bytes) {
      guard entry.key.byteCount >= 4 else { break }
      let number = entry.key.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
      // A writer's cursor does not check the order of the keys, and this walk must not go in a circle.
      guard Self.number(next) <= number else { throw rows.table.unorderedKeys }
      if number > 0 { found.insert(number) }
      guard number < .max else { break }
      next = Self.prefix(number + 1)
    }
    return found
  }

  /// Whether these can be the bytes of a projection's name.
  static func isName(_ name: UnsafeRawBufferPointer) -> Bool {
    (1...200).contains(name.count) && !name.contains(0)
      && String(decoding: name, as: UTF8.self).utf8.elementsEqual(name)
  }
}
