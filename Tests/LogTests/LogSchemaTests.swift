import RepriseTestLog
import XCTest

@testable import RepriseLog
@testable import RepriseObjectModel

final class LogSchemaTests: LogTestCase {
  private func roundTrip(_ schema: StoredSchema) throws -> StoredSchema {
    try schema.encoded().withUnsafeBytes { try StoredSchema(encoded: $0) }
  }

  func testSchemaComesBackFromItsBytes() throws {
    XCTAssertEqual(try roundTrip(StoredSchema()), StoredSchema())
    XCTAssertEqual(try roundTrip(LogFixture.storedSchema), LogFixture.storedSchema)
  }

  func testReplayedSchemaTransactionsGiveTheSchema() throws {
    var current = StoredSchema()
    var next = LogFixture.storedSchema
    next.entities[1].properties.removeLast(3)
    next.revision = 1
    var renamed = next
    renamed.entities[0].rename(to: "Remembered")
    renamed.entities[1].properties[2].rename(to: "remark")
    renamed.entities[1].properties[2].index = 8
    renamed.entities[1].properties[3].role = .attribute(.string, isOptional: true)
    renamed.entities[1].properties[3].wasRequired = true
    renamed.descents = [
      Descent(kind: .moved, source: 1, target: 9, reference: 0, pairs: [.init(old: 1, new: 2), .init(old: 0, new: 3)])
    ]
    renamed.entities.insert(StoredEntity(number: 9, name: "Person", properties: []), at: 2)
    renamed.revision = 2
    var last = renamed
    last.entities[1].properties = LogFixture.storedSchema.entities[1].properties
    last.entities[1].properties[2].formerNames = ["remark"]
    last.entities[1].properties[3].wasRequired = true
    last.descents.append(Descent(kind: .inlined, source: 9, target: 1, reference: 4, pairs: []))
    last.revision = 3
    for (index, schema) in [next, renamed, last].enumerated() {
      let position = Position(1) + index
      let changes = current.changes(to: schema)
      XCTAssertFalse(changes.isEmpty)
      var envelope = LogFixture.envelope(at: position)
      envelope.schemaRevision = schema.revision
      let bytes = try frame(at: position, envelope) { encoder in
        for change in changes { encoder.schema(change) }
      }
      try read(bytes) { frame in
        for event in try frame.events.all() { try current.apply(XCTUnwrap(try event.schemaChange())) }
        current.revision = frame.envelope.schemaRevision
      }
      XCTAssertEqual(current, schema)
      // `meta` repeats it.
      var stored = try schema.encoded().withUnsafeBytes { try StoredSchema(encoded: $0) }
      stored.take(try SchemaHistory(of: schema).encoded().withUnsafeBytes { try SchemaHistory(encoded: $0) })
      XCTAssertEqual(stored, schema)
    }
    XCTAssertEqual(current.changes(to: last), [])
  }

  func testPropertyOfAnUnknownEntityIsRefused() {
    var schema = LogFixture.storedSchema
    let property = schema.entities[1].properties[0]
    XCTAssertThrowsError(try schema.apply(.property(entity: 77, property)))
    XCTAssertEqual(schema, LogFixture.storedSchema)
  }

  func testDamagedSchemaNeverTrapsAndTruncationIsDetected() throws {
    let bytes = LogFixture.storedSchema.encoded()
    for length in bytes.indices {
      XCTAssertThrowsError(try bytes.prefix(length).withUnsafeBytes { try StoredSchema(encoded: $0) }, "\(length)")
    }
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 1
      XCTAssertThrowsError(try damaged.withUnsafeBytes { try StoredSchema(encoded: $0) }, "byte \(offset)")
      for value in UInt8.min ... .max where value % 5 == 0 && offset >= Checksum.size {
        damaged[offset] = value
        let resealed = resealed(damaged)
        guard let schema = try? resealed.withUnsafeBytes({ try StoredSchema(encoded: $0) }) else { continue }
        // What is read is a schema that can be written: nothing in it is out of bounds.
        XCTAssertEqual(try roundTrip(schema), schema)
      }
    }
  }
}
