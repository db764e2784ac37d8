/// Appends numbers, texts and bytes to a buffer, in the forms that every format of the store uses.
///
/// Fixed-width numbers are little-endian. A varint is LEB128, 7 bits a byte, lowest first. A signed varint is zigzag.
@frozen
@usableFromInline
package struct ByteWriter {
  @usableFromInline package var bytes: [UInt8]

  @inlinable package init(reserving capacity: Int = 0) {
    bytes = []
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  @inlinable package var count: Int { bytes.count }

  @inlinable package mutating func append(_ byte: UInt8) { bytes.append(byte) }

  @inlinable package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  @inlinable package mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  @inlinable package mutating func fixed<Number: FixedWidthInteger>(_ number: Number) {
    var little = number.littleEndian
    withUnsafeBytes(of: &little) { bytes.append(contentsOf: $0) }
  }

  @inlinable package mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  @inlinable package mutating func varint(_ number: Int) { varint(UInt64(number)) }

  @inlinable package mutating func signedVarint(_ number: Int64) {
    varint(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Appends the 16 bytes of a UUID, in the order of its text.
  @inlinable package mutating func uuid(_ id: UniqueID) {
    var big = (id.high.bigEndian, id.low.bigEndian)
    withUnsafeBytes(of: &big) { bytes.append(contentsOf: $0) }
  }

  /// Appends the length as a varint, then the UTF-8.
  @inlinable package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      varint(utf8.count)
      bytes.append(contentsOf: utf8)
    }
  }

  /// Appends the length as a varint, then the bytes.
  @inlinable package mutating func sized(_ more: [UInt8]) {
    varint(more.count)
    bytes.append(contentsOf: more)
  }

  /// Overwrites a fixed-width number written before.
  @inlinable package mutating func replaceFixed<Number: FixedWidthInteger>(at offset: Int, with number: Number) {
    var little = number.littleEndian
    withUnsafeBytes(of: &little) { for (index, byte) in $0.enumerated() { bytes[offset + index] = byte } }
  }
}
