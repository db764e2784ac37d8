/// Bytes with the order of values: the content of index keys, and the sort keys of lists.
///
/// | value | bytes |
/// |---|---|
/// | nil | `00` |
/// | text | `01`, the UTF-8 of its composed form as a run |
/// | bytes | `02`, themselves as a run |
/// | truth value | `03`, 0 or 1 |
/// | signed integer | `04`, 8 bytes big-endian, sign bit flipped |
/// | unsigned integer | `05`, 8 bytes big-endian |
/// | floating point | `06`, 8 bytes big-endian: of a positive number the sign bit flipped, of a negative one all bits |
/// | date | `07`, as floating point |
/// | UUID | `08`, 16 bytes |
/// | reference | `09`, the 16 bytes of the object's UUID |
/// | blob | `0A`, the 32 bytes of its digest, its length in 8 bytes big-endian |
///
/// -0 has the key of 0. All NaNs have one key, behind infinity.
///
/// A run is the content with each `00` as `00 FF`, then `00 00`. So a text sorts before every longer one that begins
/// with it, and no key is the beginning of another. Therefore, keys can be joined and followed by an object's UUID, and
/// still sort. A key has the whole value, of any length. ``RowKey`` describes the part that an index stores.
@usableFromInline
package enum OrderKey {
  /// Change this number when the bytes of any key change. Indexes of another version are built again.
  ///
  /// Keys depend on the composed form, which Unicode never changes for assigned characters. So a newer Unicode in the
  /// standard library changes only the keys of texts with formerly unknown characters. The same is true for case
  /// foldings, decompositions and the values of digits in collations. This is version 1 with the data of Unicode 16.
  package static let version: UInt32 = 1

  /// Appends the key of a value. O(length of the value).
  ///
  /// - Parameters:
  ///   - collation: The order of texts.
  ///   - end: The caller needs `bytes` only up to this length. A text or byte string may be cut off there, so that a
  ///     long value costs no more. The key still ends with its terminator.
  package static func append(
    _ value: PropertyValue, _ collation: Collation = .binary, upTo end: Int = .max, to bytes: inout [UInt8]
  ) {
    switch value {
    case .null: bytes.append(Tag.null.rawValue)
    case .string(let text):
      bytes.append(Tag.string.rawValue)
      ComposedText.forEachPiece(of: collation.key(of: text)) { append($0, upTo: end, to: &bytes) }
      endRun(&bytes)
    case .bytes(let content):
      bytes.append(Tag.bytes.rawValue)
      content.withUnsafeBufferPointer { _ = append($0, upTo: end, to: &bytes) }
      endRun(&bytes)
    case .bool(let it):
      bytes.append(Tag.bool.rawValue)
      bytes.append(it ? 1 : 0)
    case .int(let it): append(.int, ordered(it), to: &bytes)
    case .unsigned(let it): append(.unsigned, it, to: &bytes)
    case .double(let it): append(.double, ordered(it), to: &bytes)
    case .date(let it): append(.date, ordered(it), to: &bytes)
    case .uuid(let it): append(.uuid, it, to: &bytes)
    case .reference(let it): append(.reference, it.uuid, to: &bytes)
    case .blob(let it): append(it, to: &bytes)
    }
  }

  /// The key of a value.
  package static func bytes(of value: PropertyValue) -> [UInt8] {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return bytes
  }

  /// The length of the key at the beginning of `key`. `nil` if none is there.
  package static func length(_ key: RawSpan) -> Int? { key.withUnsafeBytes { ParsedOrderKey($0)?.length } }

  package static func length(_ key: UnsafeRawBufferPointer) -> Int? { ParsedOrderKey(key)?.length }

  package static func length(_ key: [UInt8]) -> Int? { length(key.span.bytes) }

  /// The value whose key is at the beginning of `key`. `nil` for kinds whose keys may belong to several values, or may
  /// have only a part of a value.
  package static func exactValue(_ key: some Sequence<UInt8>) -> PropertyValue? {
    Array(key.prefix(17)).withUnsafeBytes { bytes in
      guard let key = ParsedOrderKey(bytes) else { return nil }
      return switch key.tag {
      case .null, .bool, .int, .unsigned, .uuid: key.value
      case .string, .bytes, .double, .date, .reference, .blob: nil
      }
    }
  }

  /// The least bytes that are greater than all bytes that begin with `bytes`. `nil` if there are none.
  package static func successor(of bytes: some Sequence<UInt8>) -> [UInt8]? {
    var bytes = [UInt8](bytes)
    while let last = bytes.popLast() {
      if last < 0xFF {
        bytes.append(last + 1)
        return bytes
      }
    }
    return nil
  }

  package enum Tag: UInt8 {
    case null = 0
    // Directly after nil, because nil and the empty text share a section and must be neighbours.
    case string = 1
    case bytes = 2
    case bool = 3
    case int = 4
    case unsigned = 5
    case double = 6
    case date = 7
    case uuid = 8
    case reference = 9
    case blob = 10
  }

  @inlinable static var signBit: UInt64 { 1 << 63 }

  /// Bits that sort as the numbers do.
  @inlinable package static func ordered(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ signBit }

  /// Bits that sort as the numbers do.
  @inlinable package static func ordered(_ number: Double) -> UInt64 {
    if number == 0 { return signBit }
    if number.isNaN { return Double.nan.bitPattern | signBit }
    return number.sign == .minus ? ~number.bitPattern : number.bitPattern | signBit
  }

  /// The eight bytes after the tag in the key of a number or date. `nil` for other values.
  @inlinable package static func number(of value: PropertyValue) -> UInt64? {
    switch value {
    case .int(let it): ordered(it)
    case .unsigned(let it): it
    case .double(let it), .date(let it): ordered(it)
    case .null, .string, .bytes, .bool, .uuid, .reference, .blob: nil
    }
  }

  /// ``number(of:)`` for the value whose key, or inverted key, begins with these bytes.
  package static func number(inKey key: [UInt8]) -> UInt64? {
    guard let first = key.first, key.count >= 9, let tag = Tag(rawValue: min(first, ~first)) else { return nil }
    switch tag {
    case .int, .unsigned, .double, .date:
      return key.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self)) }
    case .null, .string, .bytes, .bool, .uuid, .reference, .blob: return nil
    }
  }

  private static func append(_ tag: Tag, _ number: UInt64, to bytes: inout [UInt8]) {
    bytes.append(tag.rawValue)
    var big = number.bigEndian
    withUnsafeBytes(of: &big) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ tag: Tag, _ id: UniqueID, to bytes: inout [UInt8]) {
    bytes.append(tag.rawValue)
    var big = (id.high.bigEndian, id.low.bigEndian)
    withUnsafeBytes(of: &big) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ blob: Blob, to bytes: inout [UInt8]) {
    bytes.append(Tag.blob.rawValue)
    let words = blob.words
    for word in [words.0, words.1, words.2, words.3, UInt64(blob.byteCount)] {
      withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }
  }

  // MARK: Runs

  /// Appends content to a run. Returns false once `end` is reached.
  private static func append(_ piece: UnsafeBufferPointer<UInt8>, upTo end: Int, to bytes: inout [UInt8]) -> Bool {
    if piece.count <= end - bytes.count, !piece.contains(0) {
      bytes.append(contentsOf: piece)
      return true
    }
    for byte in piece {
      if bytes.count >= end { return false }
      bytes.append(byte)
      if byte == 0 { bytes.append(0xFF) }
    }
    return true
  }

  private static func endRun(_ bytes: inout [UInt8]) {
    bytes.append(0)
    bytes.append(0)
  }
}
