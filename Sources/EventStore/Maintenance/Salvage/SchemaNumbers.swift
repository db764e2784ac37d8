import RepriseLog
import RepriseObjectModel

/// The numbers of entities and properties that a schema names, for objects whose schema may be lost in part.
///
/// An entity or a property without a name cannot be read. If its number were given to a new one, its values would be
/// read as values of the new one.
struct SchemaNumbers {
  /// Only forged records have greater numbers. There must be room after the used ones.
  private static let limit: UInt32 = 1 << 30

  private let entities: Set<UInt32>
  private let properties: Set<UInt32>
  private(set) var greatestEntity: UInt32
  private(set) var greatestProperty: UInt32
  private(set) var unnamedObjects = 0
  private(set) var unnamedValues = 0

  init(_ schema: StoredSchema) {
    entities = Set(schema.entities.map(\.number))
    properties = Set(schema.entities.flatMap { $0.properties.map(\.number) })
    greatestEntity = entities.max() ?? 0
    greatestProperty = properties.max() ?? 0
  }

  /// A record without the values that have no name. `nil` if the entity has no name.
  mutating func named(_ record: [UInt8], of entity: UInt32) throws(MalformedBytes) -> [UInt8]? {
    var unnamed: Set<UInt32> = []
    try record.lend { (bytes) throws(MalformedBytes) in
      var cursor = RecordFields.Cursor(try RecordReader(bytes).fields)
      while let number = try cursor.nextNumber() {
        if !properties.contains(number) { unnamed.insert(number) }
        _ = try cursor.rawValue()
      }
    }
    for number in unnamed where number < Self.limit { greatestProperty = max(greatestProperty, number) }
    guard entities.contains(entity) else {
      if entity < Self.limit { greatestEntity = max(greatestEntity, entity) }
      if RecordKind(of: record) == .object { unnamedObjects += 1 }
      return nil
    }
    if unnamed.isEmpty { return record }
    unnamedValues += unnamed.count
    return try record.lend { (bytes) throws(MalformedBytes) in
      let reader = try RecordReader(bytes)
      var writer = ByteWriter.sealing(reserving: record.count)
      writer.append(reader.head(reader.kind.rawValue))
      var cursor = RecordFields.Cursor(reader.fields)
      while let number = try cursor.nextNumber() {
        let raw = try cursor.rawValue()
        if unnamed.contains(number) { continue }
        writer.varint(UInt64(number))
        writer.append(raw)
      }
      return writer.sealed()
    }
  }
}

extension StoredSchema {
  /// How many numbers to skip after the greatest known one. Lost schema changes cannot have given so many.
  private static let skipped: UInt32 = 1 << 16

  /// Reserves these numbers, and ``skipped`` numbers after them, by adding a retired entity and property with the last
  /// ones.
  mutating func reserve(entity: UInt32, property: UInt32) {
    let number = entity + Self.skipped
    var reserved = StoredEntity(number: number, name: "", properties: [])
    reserved.properties = [
      StoredProperty(
        number: property + Self.skipped, name: "", role: .attribute(.bytes, isOptional: true), index: nil,
        defaultValue: .null)
    ]
    entities.append(reserved)
  }
}
