import RepriseObjectModel

/// A value as bytes, independent of this process's models.
///
/// For a text or bytes, `content` is their plain content; for any other value, tag and payload as
/// ``ByteWriter/value(_:_:)`` writes them.
struct DraftValue: Sendable {
  let tag: UInt8
  var content: ArraySlice<UInt8>

  static let null = DraftValue(tag: ValueTag.null.rawValue, content: [ValueTag.null.rawValue])

  var isLong: Bool { Self.isSized(tag) }

  static func isSized(_ tag: UInt8) -> Bool { tag == ValueTag.string.rawValue || tag == ValueTag.bytes.rawValue }

  func isIdentical(to other: DraftValue) -> Bool {
    guard tag == other.tag, content.count == other.content.count else { return false }
    return content.withUnsafeBytes { left in other.content.withUnsafeBytes { left.isSame(as: $0) } }
  }

  func propertyValue(_ map: SchemaMap) throws(MalformedBytes) -> PropertyValue {
    try content.withUnsafeBufferPointer { (buffer) throws(MalformedBytes) -> PropertyValue in
      try Self.propertyValue(tag, UnsafeRawBufferPointer(buffer)[...], map)
    }
  }

  static func propertyValue(
    _ tag: UInt8, _ content: Slice<UnsafeRawBufferPointer>, _ map: SchemaMap
  ) throws(MalformedBytes) -> PropertyValue {
    let content = UnsafeRawBufferPointer(rebasing: content)
    switch ValueTag(rawValue: tag) {
    // The checksum was verified on reading, so only a misplaced splice can have cut a character; decoding repairs that.
    case .string: return .string(String(decoding: content, as: UTF8.self))
    case .bytes: return .bytes([UInt8](content))
    default:
      var reader = ByteReader(content)
      return try reader.value(map)
    }
  }
}

extension ByteWriter {
  mutating func value(_ value: DraftValue) {
    if value.isLong {
      append(value.tag)
      varint(value.content.count)
    }
    append(value.content)
  }
}

/// Reads the bytes of entries and rows, and returns slices of them.
struct SliceReader {
  let source: ArraySlice<UInt8>
  var reader: ByteReader

  /// Lends a reader of `source`; offsets in errors count from its start.
  static func reading<Result>(
    _ source: ArraySlice<UInt8>, _ body: (inout SliceReader) throws(MalformedBytes) -> Result
  ) throws(MalformedBytes) -> Result {
    try source.withUnsafeBufferPointer { buffer throws(MalformedBytes) -> Result in
      var reader = SliceReader(source: source, reader: ByteReader(UnsafeRawBufferPointer(buffer)))
      return try body(&reader)
    }
  }

  var rest: ArraySlice<UInt8> { source[(source.startIndex + reader.offset)...] }

  mutating func sized(_ what: StaticString) throws(MalformedBytes) -> ArraySlice<UInt8> {
    let count = try reader.count(what)
    let start = source.startIndex + reader.offset
    _ = try reader.take(count, what)
    return source[start..<start + count]
  }

  mutating func value() throws(MalformedBytes) -> DraftValue {
    let start = reader.offset
    let tag = try reader.byte("a value's tag")
    if DraftValue.isSized(tag) { return DraftValue(tag: tag, content: try sized("a text or bytes")) }
    reader.offset = start
    try reader.skipValue()
    let base = source.startIndex
    return DraftValue(tag: tag, content: source[base + start..<base + reader.offset])
  }

  mutating func optionalString(_ what: StaticString) throws(MalformedBytes) -> String? {
    try reader.optionalString(what)
  }
}

extension ByteReader {
  mutating func optionalString(_ what: StaticString) throws(MalformedBytes) -> String? {
    switch try byte(what) {
    case 0: return nil
    case 1: return try string(what)
    default: throw fail(what)
    }
  }
}

extension ByteWriter {
  /// Writes 0 for `nil`, otherwise 1 and the text.
  mutating func optionalString(_ text: String?) {
    append(text == nil ? 0 : 1)
    if let text { string(text) }
  }
}
