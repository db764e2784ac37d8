import RepriseObjectModel

/// A long value, a text or bytes, as stored in the record: the value itself lies in chunks in the table `values`.
package struct LongValue: Equatable, Sendable {
  package var isText: Bool
  /// In bytes; of UTF-8 for a text.
  package var length: UInt64
  /// The first half of the SHA-256 digest of the whole value.
  package var digest: UniqueID

  package init(isText: Bool, length: UInt64, digest: UniqueID) {
    self.isText = isText
    self.length = length
    self.digest = digest
  }

  package init(_ value: UnsafeRawBufferPointer, isText: Bool) {
    self.init(isText: isText, length: UInt64(value.count), hash: SHA256.digest(value))
  }

  init(isText: Bool, length: UInt64, hash: Digest) {
    self.init(isText: isText, length: length, digest: UniqueID(high: hash.words.0, low: hash.words.1))
  }

  /// The minimum size of a value in the table. A smaller value takes fewer pages in its record. From four rows on,
  /// changing one row costs less than the record's pages.
  package static let least = 8_192
  /// The minimum size of a value that stays in the table. It is smaller than ``least``, so that edits at the limit do
  /// not move the value each time.
  package static let leastToStay = least / 2
}

extension ByteWriter {
  package mutating func longValue(_ longValue: LongValue) {
    append(ValueTag.longValue.rawValue)
    varint(longValue.length << 1 | (longValue.isText ? 1 : 0))
    uuid(longValue.digest)
  }
}

extension ByteReader {
  package mutating func longValue() throws(MalformedBytes) -> LongValue {
    try expect(ValueTag.longValue.rawValue, "the tag of a long value")
    let head = try varint("a length")
    return LongValue(isText: head & 1 == 1, length: head >> 1, digest: try uuid("a digest"))
  }
}
