import RepriseObjectModel

/// The first byte of a value in records, events and drafts. Docs/FileFormat/property-values.md.
@frozen
@usableFromInline
package enum ValueTag: UInt8 {
  case null = 0
  case no = 1
  case yes = 2
  case int = 3
  case unsigned = 4
  case double = 5
  case string = 6
  case bytes = 7
  case date = 8
  case uuid = 9
  case reference = 10
  /// A long value, stored in separate chunks.
  case longValue = 11
  /// A value that was erased.
  case redacted = 12
  /// No field. Only in events, for the value before or after. A record omits the field instead.
  case nothing = 13
  /// A large value, which lies in the table `blobs`.
  case blob = 64

  /// Tags reserved for later versions, whose values are a size followed by that many bytes: a process that does not
  /// know them keeps them unchanged.
  static let later: ClosedRange<UInt8> = 64...127
}

extension ByteWriter {
  package mutating func value(_ value: PropertyValue, _ map: SchemaMap) {
    guard case .reference(let it) = value else { return scalar(value) }
    append(ValueTag.reference.rawValue)
    varint(UInt64(map.number(it.name) ?? 0))
    uuid(it.uuid)
  }

  /// Writes any value except a reference, whose entity number needs a map. A reference is written as null.
  package mutating func scalar(_ value: PropertyValue) {
    switch value {
    case .null, .reference: append(ValueTag.null.rawValue)
    case .bool(let it): append(it ? ValueTag.yes.rawValue : ValueTag.no.rawValue)
    case .int(let it):
      append(ValueTag.int.rawValue)
      signedVarint(it)
    case .unsigned(let it):
      append(ValueTag.unsigned.rawValue)
      varint(it)
    case .double(let it):
      append(ValueTag.double.rawValue)
      fixed(it.bitPattern)
    case .string(let it):
      append(ValueTag.string.rawValue)
      string(it)
    case .bytes(let it):
      append(ValueTag.bytes.rawValue)
      sized(it)
    case .date(let it):
      append(ValueTag.date.rawValue)
      fixed(it.bitPattern)
    case .uuid(let it):
      append(ValueTag.uuid.rawValue)
      uuid(it)
    case .blob(let it): blob(it)
    }
  }
}

extension ByteReader {
  @inline(__always)
  package mutating func value(_ map: SchemaMap) throws(MalformedBytes) -> PropertyValue {
    // Most values are texts and whole numbers.
    switch remaining > 0 ? bytes[offset] : .max {
    case ValueTag.int.rawValue:
      offset += 1
      return .int(try signedVarint("an integer"))
    case ValueTag.string.rawValue:
      offset += 1
      return .string(try string("a text"))
    default:
      // The address of a copy may be used. The reader itself stays in registers.
      var rest = self
      defer { self = rest }
      return try rest.otherValue(map)
    }
  }

  private mutating func otherValue(_ map: SchemaMap) throws(MalformedBytes) -> PropertyValue {
    guard remaining > 0, bytes[offset] == ValueTag.reference.rawValue else { return try scalar() }
    offset += 1
    let number = try number("an entity's number")
    let id = try uuid("an object's UUID")
    guard let name = map.name(number: number) else { throw fail("the number of a known entity") }
    return .reference(AnyObjectID(name, id))
  }

  /// Reads any value except a reference.
  package mutating func scalar() throws(MalformedBytes) -> PropertyValue {
    switch ValueTag(rawValue: try byte("a value's tag")) {
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .int: return .int(try signedVarint("an integer"))
    case .unsigned: return .unsigned(try varint("an unsigned integer"))
    case .double: return .double(Double(bitPattern: try fixed(UInt64.self, "a floating-point number")))
    case .string: return .string(try string("a text"))
    case .bytes: return .bytes([UInt8](try sized("bytes")))
    case .date: return .date(Double(bitPattern: try fixed(UInt64.self, "a date")))
    case .uuid: return .uuid(try uuid())
    case .blob: return .blob(try blob())
    case .reference, .longValue, .redacted, .nothing, nil:
      offset -= 1
      throw fail("a value's tag")
    }
  }

  /// Skips a value of any kind, including values of later versions, which have tags from 64 on and start with their
  /// size.
  @inlinable @inline(__always)
  package mutating func skipValue() throws(MalformedBytes) {
    let tag = try byte("a value's tag")
    // Most skipped values are texts.
    if tag == ValueTag.string.rawValue { return try skipSized("a sized value") }
    if tag == ValueTag.int.rawValue {
      _ = try varint("an integer")
      return
    }
    var rest = self
    defer { self = rest }
    try rest.skip(tag)
  }

  @usableFromInline mutating func skip(_ tag: UInt8) throws(MalformedBytes) {
    switch ValueTag(rawValue: tag) {
    case .null, .no, .yes, .redacted, .nothing: return
    case .int, .unsigned: _ = try varint("an integer")
    case .double, .date: _ = try take(8, "a number")
    case .string, .bytes, .blob: try skipSized("a sized value")
    case .uuid: _ = try take(16, "a UUID")
    case .reference:
      _ = try number("an entity's number")
      _ = try take(16, "an object's UUID")
    case .longValue:
      _ = try varint("a length and a kind")
      _ = try take(16, "a digest")
    case nil:
      guard ValueTag.later.contains(tag) else {
        offset -= 1
        throw fail("a value's tag")
      }
      try skipSized("a value of a later version")
    }
  }
}

extension ByteWriter {
  /// The tag is followed by a size, so that older programs can skip the value.
  fileprivate mutating func blob(_ blob: Blob) {
    append(ValueTag.blob.rawValue)
    var body = ByteWriter(reserving: Digest.size + 10)
    body.digest(blob.digest)
    body.varint(UInt64(blob.byteCount))
    sized(body.bytes)
  }
}

extension ByteReader {
  fileprivate mutating func blob() throws(MalformedBytes) -> Blob {
    var body = ByteReader(try sized("a blob"))
    let digest = try body.digest("a blob's digest")
    let byteCount = try body.blobLength()
    try body.expectEnd("the end of a blob")
    return Blob(digest, byteCount: byteCount)
  }

  mutating func blobLength() throws(MalformedBytes) -> Int {
    let length = try varint("a blob's length")
    guard length <= UInt64(Blob.longest) else { throw fail("a blob's length") }
    return Int(length)
  }
}

extension Blob {
  package init(_ digest: Digest, byteCount: Int) { self.init(byteCount: byteCount, words: digest.words) }

  package var digest: Digest { Digest(words: words) }
}
