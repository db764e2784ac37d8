import RepriseLog
import RepriseObjectModel

extension FrameEncoder {
  package mutating func inserted(
    _ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>, over tombstone: RecordReader? = nil,
    _ entity: EntityMap, _ map: SchemaMap
  ) {
    fields(values, entity, map).withUnsafeBytes {
      inserted(uuid, RecordFields($0), over: tombstone, entity: entity.number)
    }
  }
}

extension RecordWriter {
  package static func inserted(
    _ values: ContiguousArray<PropertyValue>, over tombstone: RecordReader? = nil, at position: Position,
    _ entity: EntityMap, _ map: SchemaMap
  ) throws -> [UInt8] {
    try fields(values, entity, map).withUnsafeBytes {
      try inserted(RecordFields($0), over: tombstone, at: position)
    }
  }
}

extension LogEvent {
  /// The values of an inserted object, or the last ones of a deleted object.
  package func wholeValues(_ entity: EntityMap, _ map: SchemaMap) throws -> ContiguousArray<PropertyValue>? {
    try change?.whole?.unerasedValues(entity, map)
  }
}

private func fields(_ values: ContiguousArray<PropertyValue>, _ entity: EntityMap, _ map: SchemaMap) -> [UInt8] {
  var writer = ByteWriter()
  writer.fields(values, entity, map)
  return writer.bytes
}
