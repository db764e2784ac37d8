/// The keys of rows in counted indexes: the order keys of the columns one after the other, then the object's UUID.
///
/// A row key has the whole values, and may be of any length. A table **stores** at most ``storedLimit`` bytes of the
/// columns, and the UUID. Rows whose columns agree in these bytes are neighbours there, in order of creation. Their
/// whole columns are read from the objects.
@usableFromInline
package enum RowKey {
  /// The most bytes of the columns in a stored row: LMDB's limit for keys, less index number, level and UUID.
  @inlinable package static var storedLimit: Int { 511 - 5 - 16 }

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

  /// Appends the stored part of the row key of a single attribute. O(stored bytes), unless a text must be composed.
  package static func appendStored(_ value: PropertyValue, _ uuid: UniqueID, to key: inout [UInt8]) {
    let end = key.count + storedLimit
    OrderKey.append(value, upTo: end, to: &key)
    if key.count > end { key.removeLast(key.count - end) }
    append(uuid, to: &key)
  }

  /// The columns of a row key, without the object's UUID.
  ///
  /// - Parameter limit: The number of bytes that the caller needs. The result may have more, and bytes after the limit
  ///   may be wrong.
  package static func columns(
    _ values: [PropertyValue], _ collations: [Collation], upTo limit: Int = .max
  ) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(48)
    for (value, collation) in zip(values, collations) where key.count < limit {
      OrderKey.append(value, collation, upTo: limit, to: &key)
    }
    return key
  }

  /// The stored part of a row key's columns.
  package static func storedColumns(_ values: [PropertyValue], _ collations: [Collation]) -> [UInt8] {
    let columns = columns(values, collations, upTo: storedLimit)
    return columns.count > storedLimit ? Array(columns.prefix(storedLimit)) : columns
  }

  /// Whether a stored row may lack a part of its columns. Then rows of different values may differ only in the UUID. No
  /// column's key is the beginning of another key, so a row of less than the limit has all columns.
  @inlinable package static func isShortened(_ stored: RawSpan) -> Bool { stored.byteCount == storedLimit + 16 }

  /// Whether any column of a row key, without its UUID, is nil. In a shortened key, only whole columns are tested.
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

  /// The object of a row. `nil` if the key is too short to contain one.
  @inlinable package static func uuid(_ key: RawSpan) -> UniqueID? {
    guard key.byteCount >= 16 else { return nil }
    return key.withUnsafeBytes { bytes in
      let start = bytes.count - 16
      return UniqueID(
        high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)))
    }
  }

  @inlinable package static func uuid(_ key: [UInt8]) -> UniqueID? { uuid(key.span.bytes) }
}
