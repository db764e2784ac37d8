import RepriseLMDB
import RepriseObjectModel

/// Values of any size in rows of at most ``chunkSize`` bytes. So a page holds at least two rows with keys of up to 70
/// bytes, and LMDB needs no overflow pages. Only keys of projections may be longer. Overflow pages would fragment the
/// file, because runs of contiguous free pages form again only slowly.
///
/// Every row of a value but the last has exactly that size. The key of the first row is the value's key, bare or
/// followed by the number 0. Later rows append a number: 1, 2, 3 …, as two big-endian bytes, and four more from 65,536
/// on.
package struct ChunkedRows: Sendable {
  package static let chunkSize = 1_960
  /// The maximum size of a transaction of the log or of a record, in bytes.
  package static let maximumSize = chunkSize * (lastShort + 1)
  /// The highest number that takes two bytes.
  private static let lastShort = 65_535

  package let table: Table
  package let numbersFirst: Bool
  private let limit: Int

  package init(_ table: Table, numbersFirst: Bool, limit: Int = Self.maximumSize) {
    self.table = table
    self.numbersFirst = numbersFirst
    self.limit = limit
  }

  /// The key of the row of a chunk with a number.
  package static func key(_ key: RawSpan, _ chunk: Int) -> [UInt8] {
    var bytes = key.withUnsafeBytes { [UInt8]($0) }
    let short = UInt16(clamping: chunk)
    bytes.append(UInt8(short >> 8))
    bytes.append(UInt8(truncatingIfNeeded: short))
    // Extends the key of the highest short number, so it sorts after it.
    if chunk > lastShort {
      withUnsafeBytes(of: UInt32(chunk - lastShort - 1).bigEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// The key of the first row of a value with a key of eight bytes, as frames have. It is made without an allocation.
  private struct FirstRow: BitwiseCopyable {
    static let size = 10
    let key: UInt64
    let number: UInt16 = 0
  }

  static func chunks(_ size: Int) -> Int { max(1, (size + chunkSize - 1) / chunkSize) }

  // MARK: Writing

  /// Sets the value of a key.
  ///
  /// - Parameter oldSize: The size of the key's current value. 0 if it has none. Its surplus rows are removed.
  package func put(
    _ transaction: borrowing WriteTransaction, key: RawSpan, value: [UInt8], replacing oldSize: Int
  ) throws(StorageError) {
    try write(value, key) { row, chunk throws(StorageError) in try transaction.put(table, key: row, value: chunk) }
    if oldSize > 0 { try removeRows(transaction, key, from: Self.chunks(value.count), to: Self.chunks(oldSize)) }
  }

  /// Adds a value whose key is greater than all keys in the table, without a search.
  package func append(
    _ transaction: borrowing WriteTransaction, key: RawSpan, value: [UInt8]
  ) throws(StorageError) {
    try write(value, key) { row, chunk throws(StorageError) in try transaction.append(table, key: row, value: chunk) }
  }

  package func delete(
    _ transaction: borrowing WriteTransaction, key: RawSpan, size: Int
  ) throws(StorageError) {
    try removeRows(transaction, key, from: 0, to: Self.chunks(size))
  }

  private func write(
    _ value: [UInt8], _ key: RawSpan, _ put: (RawSpan, RawSpan) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard value.count <= limit else { throw .badValueSize(StorageError.Site(.put, table.path)) }
    let bytes = value.span.bytes
    for chunk in 0..<Self.chunks(value.count) {
      let start = chunk * Self.chunkSize
      let part = bytes.extracting(start..<min(start + Self.chunkSize, value.count))
      if chunk == 0, !numbersFirst {
        try put(key, part)
      } else {
        let row = Self.key(key, chunk)
        try put(row.span.bytes, part)
      }
    }
  }

  private func removeRows(
    _ transaction: borrowing WriteTransaction, _ key: RawSpan, from first: Int, to end: Int
  ) throws(StorageError) {
    for chunk in stride(from: first, to: end, by: 1) {
      if chunk == 0, !numbersFirst {
        try transaction.delete(table, key: key)
      } else {
        let row = Self.key(key, chunk)
        try transaction.delete(table, key: row.span.bytes)
      }
    }
  }

  // MARK: Reading

  /// Lends the value of a key: the mapped bytes if it is shorter than ``chunkSize``, otherwise a copy. `nil` if there
  /// is none.
  // Inlined, because each look-up would copy the names of the table otherwise.
  @inline(__always)
  package func read<Result>(
    _ view: View, key: RawSpan, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    try read(view.readerOfOne(table), key: key, body)
  }

  /// A copy of the value of a key. `nil` if there is none.
  package func bytes(_ view: View, key: RawSpan) throws(StorageError) -> [UInt8]? {
    try read(view, key: key) { (bytes) throws(StorageError) in [UInt8](bytes) }
  }

  /// As ``read(_:key:_:)->_``, for one of many look-ups.
  @inline(__always)
  func read<Result>(
    _ reader: TableReader, key: RawSpan, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    if numbersFirst {
      if key.byteCount == 8 {
        let row = CollectionOfOne(FirstRow(key: key.unsafeLoadUnaligned(as: UInt64.self)))
        return try lend(reader, key, try reader.get(row.span.bytes.extracting(first: FirstRow.size)), body)
      }
      let row = Self.key(key, 0)
      return try lend(reader, key, try reader.get(row.span.bytes), body)
    }
    return try lend(reader, key, try reader.get(key), body)
  }

  @inline(__always)
  private func lend<Result>(
    _ reader: TableReader, _ key: RawSpan, _ found: RawSpan?,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    guard let first = found else { return nil }
    if first.byteCount < Self.chunkSize {
      return try first.withUnsafeBytes { bytes throws(StorageError) in try body(bytes) }
    }
    let whole = try assembled(reader, key, first)
    return try whole.span.bytes.withUnsafeBytes { bytes throws(StorageError) in try body(bytes) }
  }

  /// Lends the value of a key to a parser, for one of many look-ups. `nil` if there is none.
  @inline(__always)
  package func read<Result>(
    _ reader: TableReader, key: RawSpan, _ what: @autoclosure () -> String,
    parsing body: (UnsafeRawBufferPointer) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    try read(reader, key: key) { bytes throws(StorageError) in
      try table.parsing(key.withUnsafeBytes { [UInt8]($0) }, what()) { () throws(MalformedBytes) in try body(bytes) }
    }
  }

  /// Lends the value of a key to a parser. `nil` if there is none.
  @inline(__always)
  func read<Result>(
    _ view: View, key: RawSpan, _ what: @autoclosure () -> String,
    parsing body: (UnsafeRawBufferPointer) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result? {
    try read(view.readerOfOne(table), key: key, what(), parsing: body)
  }

  private func assembled(_ reader: TableReader, _ key: RawSpan, _ first: RawSpan) throws(StorageError) -> [UInt8] {
    var whole: [UInt8] = []
    first.withUnsafeBytes { whole.append(contentsOf: $0) }
    var last = first.byteCount
    var chunk = 1
    while last == Self.chunkSize {
      let row = Self.key(key, chunk)
      guard let next = try reader.get(row.span.bytes) else { break }
      next.withUnsafeBytes { whole.append(contentsOf: $0) }
      last = next.byteCount
      chunk += 1
    }
    return whole
  }

  /// Calls `body` with each value from a key on, in key order, until it returns false; keys are passed without their
  /// numbers. One pass over the rows.
  ///
  /// Throws unless the keys of the values ascend strictly. Otherwise, callers that continue from a key in a later pass
  /// could run forever.
  package func scan(
    _ view: View, from start: RawSpan,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(start)
    // Cursors of snapshots check this themselves.
    var order = view.isSnapshot ? nil : KeyOrder(from: start)
    while let first = entry {
      if let isAscending = order?.follows(first.key), !isAscending {
        throw table.unorderedKeys
      }
      if first.value.byteCount < Self.chunkSize {
        let goesOn = try first.key.withUnsafeBytes { key throws(StorageError) in
          try first.value.withUnsafeBytes { value throws(StorageError) in try body(bare(key), value) }
        }
        if !goesOn { return }
        entry = try cursor.next()
        continue
      }
      // Copied before the cursor moves on to find the end of the value.
      let key = first.key.withUnsafeBytes { [UInt8](bare($0)) }
      var whole = first.value.withUnsafeBytes { [UInt8]($0) }
      var last = first.value.byteCount
      var chunk = 1
      entry = try cursor.next()
      while last == Self.chunkSize, let next = entry {
        let expected = Self.key(key.span.bytes, chunk)
        guard next.key.withUnsafeBytes({ $0.elementsEqual(expected) }) else { break }
        last = next.value.byteCount
        next.value.withUnsafeBytes { whole.append(contentsOf: $0) }
        chunk += 1
        entry = try cursor.next()
      }
      let goesOn = try key.span.bytes.withUnsafeBytes { key throws(StorageError) in
        try whole.span.bytes.withUnsafeBytes { value throws(StorageError) in try body(key, value) }
      }
      if !goesOn { return }
    }
  }

  private func bare(_ row: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    numbersFirst ? UnsafeRawBufferPointer(rebasing: row.dropLast(2)) : row
  }
}

/// Checks the order of the keys that a writer's walk passes.
private struct KeyOrder {
  private var last: [UInt8]
  private var isFirst = true

  init(from start: RawSpan) { last = start.withUnsafeBytes { [UInt8]($0) } }

  /// Whether a key comes after the previous key. The first key may equal the key that the walk begins with.
  mutating func follows(_ key: RawSpan) -> Bool {
    key.withUnsafeBytes { key in
      let isAscending = isFirst ? !key.lexicographicallyPrecedes(last) : last.lexicographicallyPrecedes(key)
      isFirst = false
      last.removeAll(keepingCapacity: true)
      last.append(contentsOf: key)
      return isAscending
    }
  }
}
