import RepriseLMDB
import RepriseObjectModel

/// The rows that objects have in one index of a stored schema. Needs no models.
struct IndexRows {
  let number: UInt32
  /// One of these has them, by what the property is.
  private(set) var counted: [IndexChange] = []
  private(set) var plain: [(target: UniqueID, source: UniqueID)] = []
  private let property: StoredProperty

  /// `nil` for a property without an index.
  init?(_ property: StoredProperty) {
    guard let index = property.index else { return nil }
    number = index
    self.property = property
  }

  var isCounted: Bool { if case .attribute = property.role { true } else { false } }
  var count: Int { counted.count + plain.count }

  mutating func add(_ record: RecordReader, _ uuid: UniqueID) throws(MalformedBytes) {
    let raw = try record.fields.raw(property.number)
    if isCounted {
      let value = try raw.map { (raw) throws(MalformedBytes) in try PropertyValue(scalar: raw) }
      counted.append(.insert(RowKey.bytes(value ?? property.defaultValue, uuid)))
    } else if let raw, let target = try UniqueID(reference: raw) {
      plain.append((target, uuid))
    }
  }

  /// Adds every object of an entity.
  mutating func add(allOf entity: UInt32, _ objects: ObjectTable, _ view: View) throws(ReadFailure) {
    try objects.forEachRecord(entity, view) { (key, bytes) throws(ReadFailure) in
      try ReadFailure.wrapping { () throws(MalformedBytes) in try add(RecordReader(bytes), key.uuid) }
    }
  }

  func write(_ table: Table, _ transaction: borrowing WriteTransaction) throws(IndexError) {
    try CountedIndex(number: number, table: table).apply(counted, in: transaction)
    let index = PlainIndex(number: number, table: table)
    for row in plain { try index.insert(target: row.target, source: row.source, in: transaction) }
  }
}

extension PropertyValue {
  /// From the bytes of a field that holds no reference.
  fileprivate init(scalar bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    self = try reader.scalar()
  }
}

extension UniqueID {
  /// From the bytes of a field that holds a reference, or null.
  fileprivate init?(reference bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    guard bytes.first == ValueTag.reference.rawValue else { return nil }
    reader.offset += 1
    _ = try reader.number("an entity's number")
    self = try reader.uuid("an object's UUID")
  }
}
