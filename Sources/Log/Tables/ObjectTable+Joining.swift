import RepriseLMDB
import RepriseObjectModel

extension ObjectTable {
  /// A split record with all of its values in their places, as if all were short.
  ///
  /// - Throws: Damage to the record, or to its long values.
  package func joined(
    _ stored: UnsafeRawBufferPointer, _ key: ObjectKey, _ view: View
  ) throws(StorageError) -> [UInt8] {
    let record = try reader(of: stored, key)
    var writer = ByteWriter.sealing(reserving: stored.count)
    writer.append(record.head(RecordKind.object.rawValue))
    try join(record, key, view, into: &writer) { _ in true }
    return writer.sealed()
  }

  /// A reader of a record in its stored form, which may be split.
  package func reader(of stored: UnsafeRawBufferPointer, _ key: ObjectKey) throws(StorageError) -> RecordReader {
    try table.parsing(key.bytes, "the stored object \(key.uuid)") { () throws(MalformedBytes) in
      try RecordReader(stored: stored)
    }
  }

  /// A reader of an object's record in its stored form, which may be split.
  @inline(__always)
  package func reader(
    of stored: UnsafeRawBufferPointer, _ uuid: UniqueID, _ map: EntityMap
  ) throws(StorageError) -> RecordReader {
    try parsing(uuid, map) { () throws(MalformedBytes) in try RecordReader(stored: stored) }
  }

  /// Decodes all values of an object's record in its stored form.
  @inline(__always)
  package func values(
    of record: RecordReader, _ uuid: UniqueID, _ map: EntityMap, _ schema: SchemaMap, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue> {
    if record.isSplit {
      var values = map.defaults
      try readSplit(map.stored, of: record, uuid, into: &values, map, schema, view)
      return values
    }
    return try parsing(uuid, map) { () throws(MalformedBytes) in try record.values(map, schema) }
  }

  /// Decodes some values of an object's record in its stored form. Long values in other tables are read only if
  /// requested.
  ///
  /// - Parameter wanted: By ascending number.
  @inline(__always)
  package func read(
    _ wanted: [EntityMap.StoredSlot], of record: RecordReader, _ uuid: UniqueID,
    into values: inout ContiguousArray<PropertyValue>, _ map: EntityMap, _ schema: SchemaMap, _ view: View
  ) throws(StorageError) {
    if record.isSplit { return try readSplit(wanted, of: record, uuid, into: &values, map, schema, view) }
    try parsing(uuid, map) { () throws(MalformedBytes) in
      try record.fields.read(wanted, into: &values, map, schema)
    }
  }

  private func readSplit(
    _ wanted: [EntityMap.StoredSlot], of record: RecordReader, _ uuid: UniqueID,
    into values: inout ContiguousArray<PropertyValue>, _ map: EntityMap, _ schema: SchemaMap, _ view: View
  ) throws(StorageError) {
    let key = ObjectKey(entity: map.number, uuid: uuid)
    var writer = ByteWriter(reserving: record.fields.bytes.count)
    try join(record, key, view, into: &writer) { number in wanted.contains { $0.number == number } }
    try parsing(uuid, map) { () throws(MalformedBytes) in
      try writer.bytes.lend { (bytes) throws(MalformedBytes) in
        try RecordFields(bytes).read(wanted, into: &values, map, schema)
      }
    }
  }

  /// Appends the fields of a record, with the requested long values in their places.
  func join(
    _ record: RecordReader, _ key: ObjectKey, _ view: View, into writer: inout ByteWriter,
    where isWanted: (UInt32) -> Bool
  ) throws(StorageError) {
    let fields = record.fields.bytes
    var copied = 0
    for field in try longFields(of: record, key) where isWanted(field.number) {
      writer.append(UnsafeRawBufferPointer(rebasing: fields[copied..<field.range.lowerBound]))
      copied = field.range.upperBound
      writer.append((field.value.isText ? ValueTag.string : .bytes).rawValue)
      writer.varint(field.value.length)
      try longValues.read(field.value, of: key.uuid, field.number, view, into: &writer.bytes)
    }
    writer.append(UnsafeRawBufferPointer(rebasing: fields[copied...]))
  }

  package func longFields(
    of record: RecordReader, _ key: ObjectKey
  ) throws(StorageError) -> [RecordReader.LongField] {
    try table.parsing(key.bytes, "the stored object \(key.uuid)") { () throws(MalformedBytes) in
      try record.longFields()
    }
  }
}
