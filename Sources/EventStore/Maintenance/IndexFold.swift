import RepriseLMDB
import RepriseObjectModel

/// The rows that records have in the indexes of a stored schema. Needs no models.
struct IndexFold {
  private struct Index {
    let number: UInt32
    let property: StoredProperty
    var counted: [IndexChange] = []
    var plain: [(target: UniqueID, source: UniqueID)] = []
  }

  private var indexes: [UInt32: [Index]] = [:]

  init(_ schema: StoredSchema) {
    for entity in schema.entities {
      indexes[entity.number] = entity.properties.compactMap { property in
        property.index.map { Index(number: $0, property: property) }
      }
    }
  }

  mutating func add(_ record: RecordReader, _ address: ObjectFold.Address) throws(MalformedBytes) {
    guard let place = indexes.index(forKey: address.entity) else { return }
    for index in indexes.values[place].indices {
      let property = indexes.values[place][index].property
      let raw = try record.fields.raw(property.number)
      if case .attribute = property.role {
        let value = try raw.map { (raw) throws(MalformedBytes) in try PropertyValue(scalar: raw) }
        let key = RowKey.bytes(value ?? property.defaultValue, address.uuid)
        indexes.values[place][index].counted.append(.insert(key))
      } else if let raw, let target = try UniqueID(reference: raw) {
        indexes.values[place][index].plain.append((target, address.uuid))
      }
    }
  }

  /// Returns how many rows were added.
  consuming func write(_ table: Table, _ transaction: borrowing WriteTransaction) throws(IndexError) -> Int {
    var rows = 0
    // In the order of the table's keys.
    for index in indexes.values.flatMap({ $0 }).sorted(by: { $0.number < $1.number }) {
      rows += index.counted.count + index.plain.count
      try CountedIndex(number: index.number, table: table).apply(index.counted, in: transaction)
      let plain = PlainIndex(number: index.number, table: table)
      for row in index.plain { try plain.insert(target: row.target, source: row.source, in: transaction) }
    }
    return rows
  }
}

extension PropertyValue {
  /// From the bytes of a field that holds no reference.
  init(scalar bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    self = try reader.scalar()
  }
}

extension UniqueID {
  /// From the bytes of a field that holds a reference, or null.
  init?(reference bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    guard bytes.first == ValueTag.reference.rawValue else { return nil }
    reader.offset += 1
    _ = try reader.number("an entity's number")
    self = try reader.uuid("an object's UUID")
  }
}
