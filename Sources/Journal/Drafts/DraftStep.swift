import RepriseLog
import RepriseObjectModel

/// An edit in a draft, over lent bytes: the bases of its splices, and the body of its change.
package struct DraftStep {
  /// One for each splice, in their order. Empty if all are based on the draft's own values.
  let bases: Bases
  let change: Change

  init(bases: Bases, change: Change) {
    self.bases = bases
    self.change = change
  }

  package init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    let count = try reader.count("a count of texts")
    bases = Bases(count: count, reader: reader)
    var rest = bases
    while try rest.next() != nil {}
    change = try Change(ofDraft: UnsafeRawBufferPointer(rebasing: bytes[rest.reader.offset...]))
  }

  /// The base of a splice.
  enum Base {
    /// A text or bytes, as a value with its tag.
    case whole(UnsafeRawBufferPointer)
    /// The text or bytes that the draft has, which must have this length and CRC-32C.
    case known(length: Int, sum: UInt32)
  }

  struct Bases {
    fileprivate(set) var count = 0
    fileprivate var reader = ByteReader(.noValue)

    /// Without splices, or with splices that are based on the draft's own values.
    static var none: Bases { Bases() }

    mutating func next() throws(MalformedBytes) -> Base? {
      if count == 0 { return nil }
      count -= 1
      let length = try reader.varint("a length")
      if length > 0 {
        guard let length = Int(exactly: length - 1) else { throw reader.fail("a length") }
        return .known(length: length, sum: try reader.fixed(UInt32.self, "a checksum"))
      }
      let start = reader.offset
      try reader.skipValue()
      return .whole(UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset]))
    }
  }
}

extension Change {
  /// Reads a change of a draft, where objects are not merged and have no edges.
  init(ofDraft body: UnsafeRawBufferPointer) throws(MalformedBytes) {
    guard body.first.flatMap(Kind.init) != nil else { throw MalformedBytes("the kind of an edit", at: 0) }
    try self.init(body)
  }
}

extension DraftStep {
  /// Throws unless it can be read to its end, and its splices fit their bases.
  package func verify() throws(MalformedBytes) {
    var (fields, rest, splices) = (change.fields, bases, 0)
    while let (_, field) = try fields.next() {
      switch field {
      case .set: break
      case .redacted: throw MalformedBytes("a value that was not erased", at: 0)
      case .splice(let splice):
        splices += 1
        guard case .whole(let value)? = try rest.next() else { continue }
        guard var text = SplicedBytes(value), text.apply(splice) else {
          throw MalformedBytes("an edit that fits its text", at: 0)
        }
      }
    }
    if bases.count > 0, bases.count != splices { throw MalformedBytes("a text for each splice", at: 0) }
  }

  /// The bytes of the step after `transform` of each field and of its splice's base. `nil` leaves the field out.
  func mapping(
    _ transform: (UInt32, Change.Field, Base?) throws(MalformedBytes) -> (field: Change.Field, base: Base?)?
  ) throws(MalformedBytes) -> [UInt8] {
    var (writer, found, body) = (ByteWriter(), ByteWriter(), ByteWriter())
    var (bases, count) = (bases, 0)
    body.change(change.kind, change.object)
    var fields = change.fields
    while let (number, field) = try fields.next() {
      var base: Base?
      if case .splice = field { base = try bases.next() }
      guard let mapped = try transform(number, field, base) else { continue }
      body.field(number, mapped.field, of: change.kind)
      guard let base = mapped.base else { continue }
      found.base(base)
      count += 1
    }
    writer.varint(count)
    writer.append(found.bytes)
    writer.append(body.bytes)
    return writer.bytes
  }
}

extension ByteWriter {
  mutating func base(_ base: DraftStep.Base) {
    switch base {
    case .whole(let value):
      append(0)
      append(value)
    case .known(let length, let sum):
      varint(UInt64(length) + 1)
      fixed(sum)
    }
  }
}
