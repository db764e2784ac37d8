/// The keys of rows in counted indexes: the order keys of the columns one after the other, then the object's UUID.
package enum RowKey {
  /// How many bytes the columns of a row take at most: what LMDB allows, without index number, level and UUID.
  static let columnBytes = 511 - 5 - 16

  /// How many bytes are kept free for each column that follows: the longest key of all that are no text or bytes.
  static let reserve = 17

  /// However little room there is, this much of a run is kept.
  static let leastContentLimit = reserve - 4

  /// The row key of a single attribute.
  package static func bytes(_ value: PropertyValue, _ uuid: UniqueID) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(32)
    append(value, uuid, to: &key)
    return key
  }

  package static func append(_ value: PropertyValue, _ uuid: UniqueID, to key: inout [UInt8]) {
    OrderKey.append(value, to: &key)
    append(uuid, to: &key)
  }

  package static func append(_ uuid: UniqueID, to key: inout [UInt8]) {
    withUnsafeBytes(of: (uuid.high.bigEndian, uuid.low.bigEndian)) { key.append(contentsOf: $0) }
  }

  /// Appends a column. How much of a text is kept depends on nothing but the bytes of the columns before it and the
  /// number of those that follow, so rows sort by one column after the other.
  ///
  /// - Parameter start: Where the row key begins in `key`.
  package static func append(
    _ value: PropertyValue, _ collation: Collation, columnsLeft: Int, startingAt start: Int, to key: inout [UInt8]
  ) {
    let limit = contentLimit(after: key.count - start, columnsLeft: columnsLeft)
    OrderKey.append(value, collation, limit: limit, to: &key)
  }

  /// The columns of a row key, without the object's UUID.
  package static func columns(_ values: [PropertyValue], _ collations: [Collation]) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(48)
    for (place, (value, collation)) in zip(values, collations).enumerated() {
      append(value, collation, columnsLeft: collations.count - place - 1, startingAt: 0, to: &key)
    }
    return key
  }

  /// How many bytes of a text's run are kept in a column behind so many bytes of others.
  package static func contentLimit(after used: Int, columnsLeft: Int) -> Int {
    // What a run has besides its content: tag, end, and half of an escaped 00.
    min(OrderKey.contentLimit, columnBytes - used - reserve * columnsLeft - 4)
  }

  /// How long the row key of an index over so many columns is at least, if it keeps less of a text than a sort key
  /// does: the columns up to that text leave room for those behind it alone, which take a byte each if they are nil.
  package static func leastLengthOfShortened(columns: Int) -> Int {
    columnBytes - 1 - (reserve - 1) * (columns - 1) + 16
  }

  /// Whether any column of a row key, without its UUID, is nil.
  package static func hasNil(_ columns: RawSpan) -> Bool {
    columns.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while let first = rest.first {
        if first == OrderKey.Tag.null.rawValue { return true }
        guard let length = OrderKey.length(UnsafeRawBufferPointer(rebasing: rest)) else { return false }
        rest = rest.dropFirst(length)
      }
      return false
    }
  }

  /// No columns that take fewer bytes are cut.
  static func leastLengthOfCut(columns: Int) -> Int {
    min(OrderKey.contentLimit, columnBytes - reserve * (columns - 1) - 4)
  }

  /// The object of a row; `nil` if the key is too short to contain one.
  package static func uuid(_ key: RawSpan) -> UniqueID? {
    guard key.byteCount >= 16 else { return nil }
    return key.withUnsafeBytes { bytes in
      let start = bytes.count - 16
      return UniqueID(
        high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)))
    }
  }

  package static func uuid(_ key: [UInt8]) -> UniqueID? { uuid(key.span.bytes) }
}
