import RepriseObjectModel

/// The key of a row in an attribute's index: the order key of the value, then the object's UUID.
package enum RowKey {
  package static func bytes(_ value: PropertyValue, _ uuid: UniqueID) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(32)
    append(value, uuid, to: &key)
    return key
  }

  static func append(_ value: PropertyValue, _ uuid: UniqueID, to key: inout [UInt8]) {
    OrderKey.append(value, to: &key)
    withUnsafeBytes(of: (uuid.high.bigEndian, uuid.low.bigEndian)) { key.append(contentsOf: $0) }
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
