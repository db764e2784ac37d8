import RepriseLog
import RepriseObjectModel

/// A model with an attribute of every kind, for tests of formats.
package final class LogSample: PersistentModel {
  package static let entity = Entity(
    LogSample.self, name: "Sample",
    properties: [
      .attribute("title", String.self, indexed: true),
      .attribute("note", String?.self),
      .attribute("isDone", Bool.self),
      .attribute("count", Int.self, default: 7, indexed: true),
      .attribute("big", UInt64?.self, default: 5),
      .attribute("ratio", Double?.self, indexed: true),
      .attribute("blob", [UInt8]?.self, indexed: true),
      .attribute("token", UniqueID?.self),
      .toOne("parent", LogSample.self, inverse: "children"),
      .toMany("children", LogSample.self),
    ])
  package static let title = 0, note = 1, isDone = 2, count = 3, big = 4, ratio = 5, blob = 6, token = 7, parent = 8

  package struct Fields: FieldSet {
    package typealias Model = LogSample
    package init(_ path: FieldPath) {}
  }

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package var snapshot: String { "" }
}

/// The numbers that the store of these tests gave, in another order than the slots.
package enum LogFixture {
  package static var storedSchema: StoredSchema {
    var schema = StoredSchema()
    schema.revision = 3
    func attribute(
      _ number: UInt32, _ name: String, _ kind: AttributeKind, _ isOptional: Bool, _ value: PropertyValue? = nil
    ) -> StoredProperty {
      StoredProperty(
        number: number, name: name, role: .attribute(kind, isOptional: isOptional),
        defaultValue: value ?? (isOptional ? .null : kind.zero))
    }
    var title = attribute(5, "title", .string, false)
    title.index = 2
    schema.entities = [
      StoredEntity(number: 1, name: "Forgotten", properties: [attribute(1, "x", .int, false)]),
      StoredEntity(
        number: 2, name: "Sample",
        properties: [
          attribute(2, "ratio", .double, true), attribute(3, "isDone", .bool, false),
          attribute(4, "note", .string, true), title, attribute(6, "gone", .bytes, true),
          attribute(7, "count", .int, false, .int(7)), attribute(8, "big", .unsigned, true, .unsigned(5)),
          attribute(9, "blob", .bytes, true), attribute(10, "token", .uuid, true),
          StoredProperty(
            number: 11, name: "parent", role: .toOne(target: 2, inverse: 12, deleteRule: .nullify, stores: true),
            index: 1),
          StoredProperty(number: 12, name: "children", role: .toMany(target: 2, inverse: 11, deleteRule: .cascade)),
          attribute(200, "later", .int, true),
        ]),
    ]
    return schema
  }

  package static func map() throws -> SchemaMap {
    SchemaMap(try ResolvedSchema(Schema(LogSample.self)), storedSchema)
  }

  package static func entity(_ map: SchemaMap) throws -> EntityMap {
    guard let entity = map.map(number: 2) else { throw MalformedBytes("the entity", at: 0) }
    return entity
  }

  package static let logID = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
  package static let replica = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002)

  package static func object(_ number: UInt64) -> UniqueID {
    UniqueID(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
  }

  package static func transaction(_ number: UInt64) -> UniqueID {
    UniqueID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
  }

  package static let seed = Digest(words: (1, 2, 3, 4))

  package static func envelope(at position: Position) -> FrameEnvelope {
    FrameEnvelope(
      transactionID: transaction(position.number), replica: ReplicaReference(number: 1), base: position - 1,
      wallTime: 1_790_000_000_000_000 + 1_000 * Int64(position.number), schemaRevision: 3)
  }

  /// Something in every slot.
  package static func fullValues(_ map: SchemaMap) throws -> ContiguousArray<PropertyValue> {
    try values(
      map,
      [
        LogSample.title: .string("Blue chair"), LogSample.note: .string("it's übel"), LogSample.isDone: .bool(true),
        LogSample.count: .int(-3), LogSample.big: .unsigned(.max), LogSample.ratio: .double(-0.0),
        LogSample.blob: .bytes([0, 255]), LogSample.token: .uuid(object(9)),
        LogSample.parent: .reference(AnyObjectID(EntityName("Sample"), object(4))),
      ])
  }

  /// With what no field would read as, where nothing is said.
  package static func values(_ map: SchemaMap, _ set: [Int: PropertyValue]) throws -> ContiguousArray<PropertyValue> {
    var values = try entity(map).defaults
    for (slot, value) in set { values[slot] = value }
    return values
  }
}

/// The bytes of a hexadecimal text; spaces are for the reader.
package func bytes(hex: String) -> [UInt8] {
  let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

package func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
}
