import RepriseLog
import RepriseObjectModel
import XCTest

open class RecordTestCase: XCTestCase {
  package private(set) var map: SchemaMap!
  package private(set) var entity: EntityMap!

  override open func setUpWithError() throws {
    map = try LogFixture.map()
    entity = try LogFixture.entity(map)
  }

  package func header(_ record: [UInt8]) throws -> RecordHeader {
    try record.withUnsafeBytes { try RecordReader($0).header }
  }

  package func values(_ record: [UInt8]) throws -> ContiguousArray<PropertyValue> {
    try record.withUnsafeBytes { try RecordReader($0).values(entity, map) }
  }

  package func raw(_ record: [UInt8], _ number: UInt32) throws -> [UInt8]? {
    try record.withUnsafeBytes { try RecordReader($0).fields.raw(number).map { [UInt8]($0) } }
  }

  package func update(_ record: [UInt8], at position: Position, _ new: [(Int, PropertyValue)]) throws -> [UInt8] {
    try record.withUnsafeBytes { bytes in
      try RecordUpdate(RecordReader(bytes), new, entity, map).record(at: position)
    }
  }

  package func sealedRecord(version: UInt64, stack: [UInt64], fields: [(UInt32, [UInt8])]) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 0)
    writer.append(RecordKind.object.rawValue)
    writer.varint(version)
    for (index, position) in stack.enumerated() { writer.varint(position - (index > 0 ? stack[index - 1] : 0)) }
    for (number, value) in fields {
      writer.varint(UInt64(number))
      writer.append(value)
    }
    return writer.sealed()
  }

  /// The bytes with the checksum that fits them.
  package func resealed(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: bytes.count)
    writer.append(bytes.dropFirst(4))
    return writer.sealed()
  }
}

extension RecordUpdate {
  /// New values by slot; those before are the record's.
  package init(
    _ record: RecordReader, _ values: [(Int, PropertyValue)], _ entity: EntityMap, _ map: SchemaMap
  ) throws(MalformedBytes) {
    let changes = values.map { PropertyChange(slot: $0, old: .null, new: $1) }
    try self.init(record, changes, entity, map)
  }
}
