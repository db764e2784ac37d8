import RepriseLog
import RepriseObjectModel

/// The numbers of entities and properties that a schema names, for objects whose schema may be lost in part.
///
/// Nobody could read what has no name. Once the number was given to something else, it would be read as a value of
/// that.
struct SchemaNumbers {
  /// Only forged records have such numbers, and there must be room behind those that are used.
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

  /// A record without the values that have no name; `nil` if its entity has none.
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
  /// How many numbers behind the greatest known ones are skipped: more than the changes of a schema give that are lost
  /// together.
  private static let skipped: UInt32 = 1 << 16

  /// Keeps numbers up to these, and some behind them, from being given again: to an entity that is retired.
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
