import RepriseObjectModel

enum EncodedEditKind: UInt8, Sendable {
  case inserted = 1
  case updated = 2
  case deleted = 3
}

/// An edit as stored in the journal, with the store's numbers.
struct EncodedEdit: Sendable {
  var object: ObjectAddress
  var kind: EncodedEditKind
  var fields: [Field]

  struct Field: Sendable {
    var number: UInt32
    var form: Form
  }

  enum Form: Sendable {
    /// A value of an inserted or deleted object.
    case value(DraftValue)
    case set(old: DraftValue, new: DraftValue)
    /// The whole old value, and the splice applied to it.
    case splicedFrom(DraftValue, OwnedSplice)
    /// A splice of the draft's current value, which must have this length and CRC-32C.
    case spliced(OwnedSplice, length: Int, sum: UInt32)
  }

  var inverse: EncodedEdit {
    var step = self
    switch kind {
    case .inserted: step.kind = .deleted
    case .deleted: step.kind = .inserted
    case .updated: break
    }
    for index in fields.indices {
      switch fields[index].form {
      case .value: break
      case .set(let old, let new): step.fields[index].form = .set(old: new, new: old)
      case .splicedFrom(let old, let splice):
        step.fields[index].form = .spliced(splice.inverse, length: old.content.count + splice.growth, sum: 0)
      case .spliced(let splice, let length, _):
        step.fields[index].form = .spliced(splice.inverse, length: length + splice.growth, sum: 0)
      }
    }
    return step
  }
}

extension EncodedEdit {
  enum FormCode {
    static let set: UInt8 = 1
    static let splicedFrom: UInt8 = 2
    static let spliced: UInt8 = 3
  }

  init() { self.init(object: ObjectAddress(entity: 0, uuid: .zero), kind: .updated, fields: []) }

  init(_ bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
    self.init()
    try read(bytes)
  }

  /// Decodes the bytes into this edit, reusing its storage.
  mutating func read(_ bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
    fields.removeAll(keepingCapacity: true)
    try SliceReader.reading(bytes) { (reader) throws(MalformedBytes) in
      let entity = try reader.reader.number("an entity's number")
      object = ObjectAddress(entity: entity, uuid: try reader.reader.uuid("an object's UUID"))
      guard let kind = EncodedEditKind(rawValue: try reader.reader.byte("the kind of an edit")) else {
        throw reader.reader.fail("the kind of an edit")
      }
      self.kind = kind
      for _ in 0..<(try reader.reader.count(of: 2, "a count of properties")) {
        let number = try reader.reader.number("a property's number")
        fields.append(Field(number: number, form: try Self.form(kind, &reader)))
      }
      try reader.reader.expectEnd("the end of an edit")
    }
  }

  private static func form(_ kind: EncodedEditKind, _ reader: inout SliceReader) throws(MalformedBytes) -> Form {
    guard kind == .updated else { return .value(try reader.value()) }
    switch try reader.reader.byte("the form of a change") {
    case FormCode.set:
      let old = try reader.value()
      return .set(old: old, new: try reader.value())
    case FormCode.splicedFrom:
      let old = try reader.value()
      let splice = try reader.splice()
      guard old.isLong, splice.fits(old.content) else { throw reader.reader.fail("a splice that fits") }
      return .splicedFrom(old, splice)
    case FormCode.spliced:
      guard let length = Int(exactly: try reader.reader.varint("a length")) else {
        throw reader.reader.fail("a length")
      }
      let sum = try reader.reader.fixed(UInt32.self, "a checksum")
      return .spliced(try reader.splice(), length: length, sum: sum)
    default: throw reader.reader.fail("the form of a change")
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.varint(UInt64(object.entity))
    writer.uuid(object.uuid)
    writer.append(kind.rawValue)
    writer.varint(fields.count)
    for field in fields {
      writer.varint(UInt64(field.number))
      switch field.form {
      case .value(let value): writer.value(value)
      case .set(let old, let new):
        writer.append(FormCode.set)
        writer.value(old)
        writer.value(new)
      case .splicedFrom(let old, let splice):
        writer.append(FormCode.splicedFrom)
        writer.value(old)
        splice.lend { writer.splice($0) }
      case .spliced(let splice, let length, let sum):
        writer.append(FormCode.spliced)
        writer.varint(length)
        writer.fixed(sum)
        splice.lend { writer.splice($0) }
      }
    }
    return writer.bytes
  }
}
