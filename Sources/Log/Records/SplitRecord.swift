import RepriseObjectModel

/// A **split record** has ``LongValue``s in the places of long values, which are in another table. The record's kind
/// marks it, so other records need no search.
extension RecordReader {
  static let splitKind: UInt8 = 3

  /// Whether a record is split, according to its kind.
  @inline(__always)
  package static func isSplit(_ record: UnsafeRawBufferPointer) -> Bool {
    record.count > Checksum.size && record[Checksum.size] == splitKind
  }

  /// A long value that lies elsewhere.
  package struct LongField {
    package let number: UInt32
    package let value: LongValue
    /// The place of the value in the record's fields, including its tag.
    let range: Range<Int>
  }

  /// By ascending number of the property.
  package func longFields() throws(MalformedBytes) -> [LongField] {
    if !isSplit { return [] }
    var found: [LongField] = []
    var cursor = RecordFields.Cursor(fields)
    while let number = try cursor.nextNumber() {
      let start = cursor.reader.offset
      let raw = try cursor.rawValue()
      guard raw.first == ValueTag.longValue.rawValue else { continue }
      var reader = ByteReader(raw)
      found.append(LongField(number: number, value: try reader.longValue(), range: start..<cursor.reader.offset))
    }
    return found
  }

  /// The bytes between the checksum and the fields, with another kind.
  package func head(_ kind: UInt8) -> [UInt8] {
    [kind] + bytes[(start + 1)..<(bytes.count - fields.bytes.count)]
  }
}

extension UnsafeRawBufferPointer {
  /// The content of a text or of bytes with its tag. `nil` for any other value.
  package var longContent: (bytes: UnsafeRawBufferPointer, isText: Bool)? {
    guard first == ValueTag.string.rawValue || first == ValueTag.bytes.rawValue else { return nil }
    return sizedPayload.map { ($0, first == ValueTag.string.rawValue) }
  }

  /// The content of a text or of bytes, after tag and length.
  var sizedPayload: UnsafeRawBufferPointer? {
    var reader = ByteReader(self)
    guard (try? reader.byte()) != nil else { return nil }
    return try? reader.sized()
  }
}
