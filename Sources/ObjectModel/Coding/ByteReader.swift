/// The expectation that bytes did not meet, and its offset.
@frozen
@usableFromInline
package struct MalformedBytes: Error, Equatable, Sendable, CustomStringConvertible {
  package let expected: String
  package let offset: Int

  package init(_ expected: String, at offset: Int) {
    self.expected = expected
    self.offset = offset
  }

  @usableFromInline package var description: String { "expected \(expected) at byte \(offset)" }
}

/// Reads the output of ``ByteWriter`` from bytes that may be damaged. Every read is checked, and none traps. Every
/// length is checked against the remaining bytes before it is used.
///
/// It does not own the bytes. Use it only inside the closure that lent them.
@frozen
@usableFromInline
package struct ByteReader {
  @usableFromInline package let bytes: UnsafeRawBufferPointer
  @usableFromInline package var offset: Int

  @inlinable package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    offset = 0
  }

  @inlinable package var remaining: Int { bytes.count - offset }
  @inlinable package var isAtEnd: Bool { offset == bytes.count }

  @inlinable @inline(__always)
  package mutating func byte(_ what: StaticString = "a byte") throws(MalformedBytes) -> UInt8 {
    guard offset < bytes.count else { throw fail(what) }
    defer { offset += 1 }
    return bytes[offset]
  }

  @inlinable @inline(__always)
  package mutating func fixed<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self, _ what: StaticString = "a number"
  ) throws(MalformedBytes) -> Number {
    let width = MemoryLayout<Number>.size
    guard remaining >= width else { throw fail(what) }
    defer { offset += width }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  @inlinable @inline(__always)
  package mutating func varint(_ what: StaticString = "a number") throws(MalformedBytes) -> UInt64 {
    if offset < bytes.count {
      let byte = bytes[offset]
      if byte < 0x80 {
        offset += 1
        return UInt64(byte)
      }
      if bytes.count - offset >= 2, bytes[offset + 1] < 0x80 {
        defer { offset += 2 }
        return UInt64(byte & 0x7F) | UInt64(bytes[offset + 1]) << 7
      }
    }
    // A slow call takes the address of a copy, so that the reader itself stays in registers.
    var rest = self
    defer { self = rest }
    return try rest.longVarint(what)
  }

  @inlinable mutating func longVarint(_ what: StaticString) throws(MalformedBytes) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    var end = offset
    while end < bytes.count, shift <= 63 {
      let byte = bytes[end]
      end += 1
      let part = UInt64(byte & 0x7F)
      guard shift < 63 || part <= 1 else { break }
      number |= part << shift
      if byte < 0x80 {
        offset = end
        return number
      }
      shift += 7
    }
    offset = end
    throw fail(what)
  }

  /// A varint that is a count of things of at least `size` bytes each. Throws if the remaining bytes cannot hold so
  /// many.
  @inlinable @inline(__always)
  package mutating func count(
    of size: Int = 1, _ what: StaticString = "a count"
  ) throws(MalformedBytes) -> Int {
    let number = try varint(what)
    guard number <= UInt64(size > 1 ? remaining / size : remaining) else { throw fail(what) }
    return Int(number)
  }

  @inlinable @inline(__always)
  package mutating func number(_ what: StaticString = "a number") throws(MalformedBytes) -> UInt32 {
    guard let number = UInt32(exactly: try varint(what)) else { throw fail(what) }
    return number
  }

  @inlinable @inline(__always)
  package mutating func signedVarint(_ what: StaticString = "a number") throws(MalformedBytes) -> Int64 {
    let number = try varint(what)
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  @inlinable @inline(__always)
  package mutating func uuid(_ what: StaticString = "a UUID") throws(MalformedBytes) -> UniqueID {
    guard remaining >= 16 else { throw fail(what) }
    defer { offset += 16 }
    let high = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let low = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
    return UniqueID(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }

  /// The next `count` bytes. They are valid as long as the reader's bytes.
  @inlinable @inline(__always)
  package mutating func take(
    _ count: Int, _ what: StaticString = "bytes"
  ) throws(MalformedBytes) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= remaining else { throw fail(what) }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  /// Bytes after their length. They are valid as long as the reader's bytes.
  @inlinable package mutating func sized(
    _ what: StaticString = "bytes"
  ) throws(MalformedBytes) -> UnsafeRawBufferPointer {
    let length = try varint(what)
    guard length <= UInt64(remaining) else { throw fail(what) }
    return try take(Int(length), what)
  }

  /// Skips a length and so many bytes.
  @inlinable @inline(__always)
  package mutating func skipSized(_ what: StaticString = "bytes") throws(MalformedBytes) {
    let length = try varint(what)
    guard length <= UInt64(remaining) else { throw fail(what) }
    offset += Int(length)
  }

  @inlinable @inline(__always)
  package mutating func string(_ what: StaticString = "a text") throws(MalformedBytes) -> String {
    let length = try varint(what)
    guard length <= UInt64(remaining) else { throw fail(what) }
    guard let text = Self.text(try take(Int(length), what)) else { throw fail(what) }
    return text
  }

  /// `nil` if the bytes are not UTF-8.
  @usableFromInline static func text(_ utf8: UnsafeRawBufferPointer) -> String? {
    var text = String(decoding: utf8, as: UTF8.self)
    if isASCII(utf8) { return text }
    // Every written text was a Swift string, so malformed UTF-8 is damage that a checksum missed. Comparing costs a
    // tenth of `String(validating:)`.
    return text.withUTF8({ $0.count == utf8.count && compareBytes(UnsafeRawBufferPointer($0), utf8) == 0 })
      ? text : nil
  }

  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var bits: UInt64 = 0
    var start = 0
    while bytes.count - start >= 8 {
      bits |= bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
      start += 8
    }
    while start < bytes.count {
      bits |= UInt64(bytes[start])
      start += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Like ``string(_:)``, but returns the checked UTF-8 bytes. They are valid as long as the reader's bytes.
  package mutating func text(_ what: StaticString = "a text") throws(MalformedBytes) -> UnsafeRawBufferPointer {
    let start = offset
    let utf8 = try sized(what)
    if Self.isASCII(utf8) { return utf8 }
    offset = start
    _ = try string(what)
    return utf8
  }

  @inlinable package func expectEnd(_ what: StaticString = "the end") throws(MalformedBytes) {
    guard isAtEnd else { throw fail(what) }
  }

  @usableFromInline package func fail(_ what: StaticString) -> MalformedBytes {
    MalformedBytes("\(what)", at: offset)
  }
}

extension [UInt8] {
  /// Lends the bytes to a body that throws errors of one type. The method of the standard library would erase the type.
  @inlinable package func lend<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
  }
}
