import RepriseLog
import RepriseObjectModel

/// Values of rows as bytes that sort as the values do. The values can be read from them.
/// Docs/FileFormat/projections.md.
enum RowCoding {
  private enum Tag: UInt8 {
    case end = 0
    case null, text, bytes, bool, int, unsigned, double, date, uuid, reference, blob
  }

  /// The values without an end: the prefix of all rows whose keys begin with these values.
  static func prefix(_ values: [PropertyValue]) -> [UInt8] {
    var writer = ByteWriter()
    for value in values { append(value, to: &writer) }
    return writer.bytes
  }

  static func encoded(_ values: [PropertyValue]) -> [UInt8] { prefix(values) + [Tag.end.rawValue] }

  private static func append(_ value: PropertyValue, to writer: inout ByteWriter) {
    func tag(_ tag: Tag) { writer.append(tag.rawValue) }
    func word(_ word: UInt64) { writer.fixed(word.bigEndian) }
    func run(_ bytes: some Sequence<UInt8>) {
      for byte in bytes {
        writer.append(byte)
        if byte == 0 { writer.append(0xFF) }
      }
      writer.append(0)
      writer.append(0)
    }
    switch value {
    case .null: tag(.null)
    case .string(let text):
      tag(.text)
      run(text.utf8)
    case .bytes(let bytes):
      tag(.bytes)
      run(bytes)
    case .bool(let it):
      tag(.bool)
      writer.append(it ? 1 : 0)
    case .int(let it):
      tag(.int)
      word(UInt64(bitPattern: it) ^ 1 << 63)
    case .unsigned(let it):
      tag(.unsigned)
      word(it)
    case .double(let it):
      tag(.double)
      word(ordered(it))
    case .date(let it):
      tag(.date)
      word(ordered(it))
    case .uuid(let it):
      tag(.uuid)
      writer.uuid(it)
    case .reference(let it):
      tag(.reference)
      run(it.entity.utf8)
      writer.uuid(it.uuid)
    case .blob(let it):
      tag(.blob)
      writer.digest(it.digest)
      word(UInt64(it.byteCount))
    }
  }

  private static func ordered(_ number: Double) -> UInt64 {
    let bits = number.bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  private static func number(_ bits: UInt64) -> Double {
    Double(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
  }

  /// Reads values up to their end.
  static func values(_ reader: inout ByteReader) throws(MalformedBytes) -> [PropertyValue] {
    var values: [PropertyValue] = []
    while true {
      guard let tag = Tag(rawValue: try reader.byte("a value")) else { throw reader.fail("a known value") }
      switch tag {
      case .end: return values
      case .null: values.append(.null)
      case .text: values.append(.string(String(decoding: try run(&reader), as: UTF8.self)))
      case .bytes: values.append(.bytes(try run(&reader)))
      case .bool:
        let it = try reader.byte("a truth value")
        guard it < 2 else { throw reader.fail("a truth value") }
        values.append(.bool(it == 1))
      case .int: values.append(.int(Int64(bitPattern: try word(&reader) ^ 1 << 63)))
      case .unsigned: values.append(.unsigned(try word(&reader)))
      case .double: values.append(.double(number(try word(&reader))))
      case .date: values.append(.date(number(try word(&reader))))
      case .uuid: values.append(.uuid(try reader.uuid("a UUID")))
      case .reference:
        let entity = String(decoding: try run(&reader), as: UTF8.self)
        values.append(.reference(AnyObjectID(EntityName(entity), try reader.uuid("an object's UUID"))))
      case .blob:
        let digest = try reader.digest("a blob's digest")
        guard let byteCount = Int(exactly: try word(&reader)) else { throw reader.fail("a blob's length") }
        values.append(.blob(Blob(digest, byteCount: byteCount)))
      }
    }
  }

  private static func word(_ reader: inout ByteReader) throws(MalformedBytes) -> UInt64 {
    UInt64(bigEndian: try reader.fixed(UInt64.self, "a number"))
  }

  private static func run(_ reader: inout ByteReader) throws(MalformedBytes) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let byte = try reader.byte("a text")
      if byte == 0 {
        let next = try reader.byte("the end of a text")
        if next == 0 { return bytes }
        guard next == 0xFF else { throw reader.fail("the end of a text") }
      }
      bytes.append(byte)
    }
  }

  /// Whether the bytes encode some values up to their end.
  static func isEncoded(_ bytes: ArraySlice<UInt8>) -> Bool {
    let found = try? bytes.withUnsafeBytes { (all) throws(MalformedBytes) in
      var reader = ByteReader(all)
      return try Self.values(&reader)
    }
    return found.map { encoded($0).elementsEqual(bytes) } ?? false
  }
}
