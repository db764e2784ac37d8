import RepriseObjectModel

extension StoredIndex {
  /// The values of the columns in a record. Without a record, the values of an object without any recorded value.
  package func values(in fields: RecordFields?) throws(MalformedBytes) -> [PropertyValue] {
    var values: [PropertyValue] = []
    values.reserveCapacity(columns.count)
    for column in columns {
      let raw = try fields?.raw(column.number)
      values.append(try raw.map { (raw) throws(MalformedBytes) in try value(raw) } ?? column.defaultValue)
    }
    return values
  }

  /// The value of a column with these bytes.
  package func value(_ raw: UnsafeRawBufferPointer) throws(MalformedBytes) -> PropertyValue {
    var reader = ByteReader(raw)
    guard raw.first == ValueTag.reference.rawValue else { return try reader.scalar() }
    reader.offset += 1
    _ = try reader.number("an entity's number")
    return .reference(AnyObjectID(unnamed, try reader.uuid("an object's UUID")))
  }
}

/// Rows have only the UUIDs of references. The entities are unnamed here.
private let unnamed = EntityName("")
