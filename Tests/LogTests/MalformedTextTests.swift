import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

/// The texts of bytes that a reader cannot read, in full. They are the reasons of damage.
final class MalformedTextTests: LogTestCase {
  private func expect(
    _ text: String, _ bytes: [UInt8], line: UInt = #line, _ read: (UnsafeRawBufferPointer) throws -> Void
  ) {
    XCTAssertThrowsError(try bytes.withUnsafeBytes { try read($0) }, text, line: line) {
      XCTAssertEqual("\($0)", "expected \(text)", line: line)
    }
  }

  private let zeros = [UInt8](repeating: 0, count: 16)
  /// The varint of the greatest signed number, to which a reader cannot add 1.
  private let greatest = [UInt8](repeating: 0xFF, count: 8) + [0x7F]
  /// The varint of the greatest number of 32 bits.
  private let greatest32: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]

  private func sealed(_ content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: content.count)
    writer.append(content)
    return writer.sealed()
  }

  // MARK: Values and changes

  func testValues() throws {
    let map = map!
    func expect(value bytes: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, bytes, line: line) { bytes in
        var reader = ByteReader(bytes)
        _ = try reader.value(map)
      }
    }
    expect(value: [99], "a value's tag at byte 0")
    expect(value: [3, 0x80], "an integer at byte 2")
    expect(value: [4], "an unsigned integer at byte 1")
    expect(value: [5, 0], "a floating-point number at byte 1")
    expect(value: [8, 0], "a date at byte 1")
    expect(value: [10, 99] + zeros, "the number of a known entity at byte 18")
    expect(value: [64, 34] + zeros + zeros + [0, 7], "the end of a blob at byte 33")
    expect(value: [64, 3, 1, 2, 3], "a blob's digest at byte 0")
    expect(value: [64, 41] + zeros + zeros + greatest, "a blob's length at byte 41")
    func expect(skipped bytes: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, bytes, line: line) { bytes in
        var reader = ByteReader(bytes)
        try reader.skipValue()
      }
    }
    expect(skipped: [14], "a value's tag at byte 0")
    expect(skipped: [6, 9], "a sized value at byte 2")
    expect(skipped: [11], "a length and a kind at byte 1")
    expect(skipped: [65, 9], "a value of a later version at byte 2")
    func expect(longValue bytes: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, bytes, line: line) { bytes in
        var reader = ByteReader(bytes)
        _ = try reader.longValue()
      }
    }
    expect(longValue: [6], "the tag of a long value at byte 0")
    expect(longValue: [11], "a length at byte 1")
    expect(longValue: [11, 8], "a digest at byte 2")
  }

  func testChanges() throws {
    func expect(change bytes: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, bytes, line: line) { bytes in
        var fields = try Change(bytes).fields
        while try fields.next() != nil {}
      }
    }
    expect(change: [], "the kind of a change at byte 0")
    expect(change: [4], "the kind of a change at byte 0")
    expect(change: [2], "an entity's number at byte 1")
    expect(change: [2, 2], "an object's UUID at byte 2")
    expect(change: [2, 2] + zeros + [4, 0, 0, 4], "a property number that is greater than the one before at byte 4")

    let unknown = ObjectAddress(entity: 9, uuid: .zero)
    XCTAssertEqual(
      SlotChange.unknown(unknown).description, "expected a model for the entity with the number 9 at byte 0")
    let change = try XCTUnwrap(SlotChange(.updated, of: ObjectAddress(entity: 2, uuid: .zero), map))
    XCTAssertThrowsError(try change.slot(99)) {
      XCTAssertEqual("\($0)", "expected a property of Sample with the number 99 at byte 0")
    }
  }

  func testRecords() throws {
    func expect(record content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, sealed(content), line: line) { bytes in
        var cursor = RecordFields.Cursor(try RecordReader(bytes).fields)
        while try cursor.nextNumber() != nil { _ = try cursor.rawValue() }
      }
    }
    self.expect("a checksum at byte 0", [1, 2]) { _ = try RecordReader($0) }
    self.expect("a matching checksum at byte 0", [0, 0, 0, 0, 1]) { _ = try RecordReader($0) }
    expect(record: [9], "a record's kind at byte 4")
    expect(record: [1, 0], "a version at byte 6")
    expect(record: [1, 1, 0], "a later position at byte 7")
    expect(record: [2, 1, 1, 7], "the end of the mark of a deleted object at byte 7")
    expect(record: [1, 1, 1, 5, 0, 5], "a property number that is greater than the one before at byte 3")
    let record = try RecordWriter.inserted(LogFixture.values(map, [:]), at: 10, entity, map)
    XCTAssertThrowsError(try update(record, at: 10, [(LogSample.count, .int(1))])) {
      XCTAssertEqual("\($0)", "expected a stored object from before the transaction at byte 0")
    }
  }

  // MARK: Schemas

  func testSchemas() {
    func expect(schema content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, sealed(content), line: line) { _ = try StoredSchema(encoded: $0) }
    }
    expect(schema: [], "a schema revision at byte 4")
    expect(schema: greatest32 + [0], "a schema revision at byte 9")
    expect(schema: [3, 9], "the number of entities at byte 6")
    expect(schema: [3, 1, 0, 0, 0], "an entity's number at byte 7")
    expect(schema: [3, 2, 1, 0, 0, 1, 0, 0], "a greater entity number at byte 10")
    expect(schema: [3, 1, 1, 5, 0], "an entity's name at byte 8")
    expect(schema: [3, 1, 1, 0, 9], "the number of properties at byte 9")
    expect(schema: [3, 0, 7], "the end of the schema at byte 6")
    let toMany: [UInt8] = [1, 0, 0, 3, 1, 1, 1]
    expect(
      schema: [3, 1, 1, 0, 2] + toMany + toMany, "a property number that is greater than the one before at byte 23")
  }

  func testPropertiesOfSchemas() {
    func expect(property bytes: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, sealed([3, 1, 1, 0, 1] + bytes), line: line) { _ = try StoredSchema(encoded: $0) }
    }
    expect(property: [0, 0, 0, 1, 0], "a property's number at byte 10")
    expect(property: [1, 9, 0, 0, 0], "a property's name at byte 11")
    expect(property: [1, 0, 0x80, 0x80, 0x80], "an index's number at byte 14")
    expect(property: [1, 0] + greatest32, "an index's number at byte 16")
    expect(property: [1, 0, 0, 11, 0], "a property's role at byte 13")
    expect(property: [1, 0, 0, 1, 200], "an attribute's kind at byte 14")
    expect(property: [1, 0, 0, 1, 2, 2], "the flag of an optional attribute at byte 15")
    expect(property: [1, 0, 0, 1, 2, 0, 6, 0], "a default of the attribute's kind at byte 17")
    expect(property: [1, 0, 0, 2, 1, 1, 1, 7], "whether it is stored at byte 17")
    expect(property: [1, 0, 0, 3, 1, 1, 99], "a delete rule at byte 16")
    expect(property: [1, 0, 0, 4, 9], "the number of columns at byte 14")
    expect(property: [1, 0, 0, 4, 1, 1, 1, 0x78], "a collation at byte 17")
    expect(property: [1, 0, 0, 5, 1], "a version of words at byte 14")
  }

  func testHistoriesOfSchemas() {
    func expect(history content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, sealed(content), line: line) { _ = try SchemaHistory(encoded: $0) }
    }
    expect(history: [], "a version of the schema at byte 4")
    expect(history: [1], "an oldest version at byte 5")
    expect(history: [1, 1, 9], "the number of former names at byte 7")
    expect(history: [1, 1, 1, 9, 1, 0], "the kind of a former name at byte 8")
    expect(history: [1, 1, 1, 1, 0, 0], "the number of an entity or a property at byte 9")
    expect(history: [1, 1, 1, 1, 1, 9], "a number of names at byte 10")
    expect(history: [1, 1, 1, 1, 1, 1, 9], "a former name at byte 11")
    expect(history: [1, 1, 0, 9], "the number of mappings at byte 8")
    expect(history: [1, 1, 0, 1, 9, 1, 1, 0, 0], "a kind of mapping at byte 8")
    expect(history: [1, 1, 0, 1, 1, 1, 1, 0, 9], "a number of properties at byte 13")
    expect(history: [1, 1, 0, 0, 7], "the end of the history at byte 8")
  }

  func testChangesOfSchemas() throws {
    var schema = StoredSchema()
    let property = try XCTUnwrap(LogFixture.storedSchema.entities[0].properties.first)
    XCTAssertThrowsError(try schema.apply(.property(entity: 9, property))) {
      XCTAssertEqual("\($0)", "expected a property of a known entity at byte 0")
    }
  }

  // MARK: Entries of `meta`

  func testEndsOfLogs() {
    func expect(end content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, sealed(content), line: line) { _ = try LogEnd(encoded: $0) }
    }
    let position = [UInt8](repeating: 1, count: 8)
    expect(end: [1], "a position at byte 4")
    expect(end: position, "a digest at byte 12")
    expect(end: position + zeros + zeros, "an ID at byte 44")
    expect(end: position + zeros + zeros + zeros + [7], "the end of an entry at byte 60")
  }

  func testClockSteps() {
    func expect(step content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, sealed(content), line: line) { _ = try ClockStep(encoded: $0, at: 3) }
    }
    func number(_ number: UInt8) -> [UInt8] { [number, 0, 0, 0, 0, 0, 0, 0] }
    expect(step: [], "a position at byte 4")
    expect(step: number(3) + number(9), "a time at byte 20")
    expect(step: number(3) + number(9) + number(5) + [7], "the end of an entry at byte 28")
    expect(step: number(4) + number(9) + number(5), "the position in its key at byte 4")
    expect(step: number(3) + number(5) + number(9), "a time no later than the one before at byte 4")
  }

  func testRowsOfBlobs() {
    func expect(row content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, sealed(content), line: line) { _ = try BlobTable.entry($0) }
    }
    expect(row: [], "the ID of an upload at byte 4")
    expect(row: zeros, "a blob's length at byte 20")
    expect(row: zeros + greatest, "a blob's length at byte 29")
    expect(row: zeros + [5, 7], "the end of a blob's row at byte 21")
  }

  func testFloors() throws {
    func expect(floor content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, sealed(content), line: line) { _ = try LogFloor(encoded: $0) }
    }
    let digest = zeros + zeros
    expect(floor: [0], "a position at byte 5")
    expect(floor: [3], "a transaction's hash at byte 5")
    expect(floor: [3] + digest, "a digest of the base at byte 37")
    expect(floor: [3] + digest + digest, "a policy at byte 69")
    expect(floor: [3] + digest + digest + [1], "a policy's number at byte 70")
    expect(floor: [3] + digest + digest + [9, 1], "a policy at byte 71")
    let record: [UInt8] = [3] + digest + digest + [1, 1]
    expect(floor: record, "a replica's UUID at byte 71")
    expect(floor: record + zeros, "the number of names at byte 87")
    expect(floor: record + zeros + [0x81, 0x20], "the number of names at byte 89")
    expect(floor: record + zeros + [0], "a digest of names at byte 88")
    expect(floor: record + zeros + [0] + digest, "a schema at byte 120")
    let schema = StoredSchema().encoded()
    let head = record + zeros + [0] + digest + [UInt8(schema.count)] + schema
    expect(floor: head, "the history of a schema at byte \(121 + schema.count)")
    expect(floor: head + [0, 7], "the end of an entry at byte \(122 + schema.count)")
  }

  // MARK: Frames

  /// A frame with this shared part, and this local part behind it.
  private func frame(_ shared: [UInt8], _ rest: [UInt8] = [], flags: UInt8 = 0) -> [UInt8] {
    sealed([1] + zeros + zeros + [flags, 0, UInt8(shared.count)] + shared + rest)
  }

  /// Up to the number of events; of transaction 6.
  private var envelope: [UInt8] { [1] + zeros + [0, 6, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3] }

  func testHeadsOfFrames() {
    func expect(frame bytes: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, bytes, line: line) { _ = try LogFrame($0) }
    }
    expect(frame: sealed([9]), "a known form of a frame at byte 4")
    expect(frame: sealed([1]), "a transaction's hash at byte 5")
    let head: [UInt8] = [1] + zeros + zeros
    expect(frame: sealed(head), "a frame's flags at byte 37")
    expect(frame: sealed(head + [2]), "known flags at byte 38")
    expect(frame: sealed(head + [0]), "a log time at byte 38")
    expect(frame: sealed(head + [0, 0, 9]), "the size of the shared part at byte 40")
    expect(frame: frame([9]), "a known form of a transaction at byte 40")
    expect(frame: frame([1]), "a transaction's UUID at byte 41")
    expect(frame: frame([1] + zeros), "a transaction's flags at byte 57")
    expect(frame: frame([1] + zeros + [8]), "known flags at byte 58")
    expect(frame: frame([1] + zeros + [0]), "a position at byte 58")
    expect(frame: frame([1] + zeros + [0, 6]), "the distance to the base at byte 59")
    expect(frame: frame([1] + zeros + [0, 6, 7]), "a base before the transaction at byte 60")
    expect(frame: frame([1] + zeros + [0, 6, 1]), "a replica's number at byte 60")
    expect(frame: frame([1] + zeros + [1, 6, 1, 1]), "a replica's UUID at byte 61")
    expect(frame: frame([1] + zeros + [0, 6, 1, 1]), "a name's number at byte 61")
    expect(frame: frame([1] + zeros + [0, 6, 1, 1, 0, 0, 0]), "a time at byte 64")
    expect(frame: frame(Array(envelope.dropLast())), "a schema revision at byte 72")
    expect(frame: frame(Array(envelope.dropLast()) + greatest32), "a schema revision at byte 77")
    expect(frame: frame(envelope), "the number of events at byte 73")
    expect(frame: frame(envelope + [9]), "the number of events at byte 74")
  }

  func testEventsOfFrames() {
    func expect(events bytes: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, frame(envelope + [1] + bytes, [0, 0]), line: line) { bytes in
        for event in try LogFrame(bytes).events.all() {
          _ = try event.edge()
          _ = try event.schemaChange()
          _ = try event.compaction()
        }
      }
    }
    func event(_ body: [UInt8]) -> [UInt8] { [UInt8(body.count) << 1] + zeros + body }
    expect(events: [3] + zeros, "the salt or the hash of an event at byte 75")
    expect(events: [2] + zeros, "an event's kind at byte 91")
    expect(events: event([]), "an event's kind at byte 75")
    expect(events: [100] + zeros + [4], "an event's size at byte 75")
    expect(events: [10] + zeros + [4, 0, 0], "an event at byte 91")
    expect(events: [1] + zeros, "an event's hash at byte 75")
    expect(events: [11] + zeros + zeros + [4, 0, 0], "the rest of an event at byte 107")
    expect(events: event([4, 1, 1, 0]) + [7], "the end of the events at byte 95")
    expect(events: event([5, 0, 9]), "the number of names at byte 3")
    expect(events: event([5, 0xFF, 0x1F, 2, 0, 0, 0]), "the number of names at byte 4")
    expect(events: event([5] + greatest32 + [1, 0, 0]), "the number of names at byte 7")
    expect(events: event([5, 0, 0, 0, 7]), "the end of the names at byte 4")
    expect(events: event([4, 9]), "a kind of change of the schema at byte 1")
    expect(events: event([4, 1, 1, 0, 7]), "the end of a change of the schema at byte 4")
    expect(events: event([6, 2] + zeros + [44] + zeros + [0, 7]), "the end of an edge at byte 36")
    let compaction: [UInt8] = [9, 3] + zeros + zeros + zeros + zeros + [1, 1, 7]
    expect(events: [0x8A, 1] + zeros + compaction, "the end of a compaction at byte 68")
  }

  func testLocalPartsOfFrames() {
    func expect(events count: UInt8, rest: [UInt8], flags: UInt8 = 0, _ text: String, line: UInt = #line) {
      let events: [UInt8] = count == 0 ? [] : [8] + zeros + [4, 1, 1, 0]
      self.expect(text, frame(envelope + [count] + events, rest, flags: flags), line: line) { bytes in
        try LogFrame(bytes).requireEnd()
      }
    }
    expect(events: 0, rest: [7], "the end of the frame at byte 74")
    expect(events: 0, rest: [9], flags: 1, "the number of keyframes at byte 75")
    expect(events: 0, rest: [1, 5, 0], flags: 1, "the number of an event at byte 76")
    expect(events: 1, rest: [0, 0, 1, 0, 9], flags: 1, "a keyframe at byte 100")
    expect(events: 1, rest: [0], "the distance to a version at byte 96")
    expect(events: 1, rest: [0, 1], "no older version at byte 97")
    expect(events: 1, rest: [6, 0], "a position in the log at byte 97")
    expect(events: 1, rest: [1, 9], "a position in the log at byte 97")
  }
}
