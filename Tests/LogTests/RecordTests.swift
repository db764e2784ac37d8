import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import RepriseTestSeeds
import XCTest

final class RecordTests: RecordTestCase {
  func testInsertedValuesComeBackBySlotWhateverTheNumbers() throws {
    let wanted = try LogFixture.fullValues(map)
    let record = try RecordWriter.inserted(wanted, at: 300, entity, map)
    XCTAssertEqual(try values(record), wanted)
    XCTAssertEqual(try header(record), RecordHeader(kind: .object, version: 1, stack: [300]))
  }

  func testNoValueIsNotMistakenForTheDefaultOfAnOptional() throws {
    // `big` is an optional with the default 5.
    let some = try RecordWriter.inserted(LogFixture.values(map, [LogSample.big: .null]), at: 1, entity, map)
    XCTAssertEqual(try values(some)[LogSample.big], .null)
    let older = sealedRecord(version: 1, stack: [1], fields: [])
    XCTAssertEqual(try values(older)[LogSample.big], .unsigned(5), "a record from before the property")
    XCTAssertEqual(try values(older)[LogSample.count], .int(7))
    XCTAssertEqual(try values(older)[LogSample.note], .null)
    let emptied = try update(some, at: 2, [(LogSample.big, .unsigned(5))])
    XCTAssertEqual(try values(emptied)[LogSample.big], .unsigned(5))
  }

  func testPropertiesOfNewerProcessesSurviveAnUpdateByteForByte() throws {
    let unknown: [(UInt32, [UInt8])] = [
      (1, [ValueTag.yes.rawValue]), (6, [ValueTag.bytes.rawValue, 2, 8, 9]),
      (13, [ValueTag.longValue.rawValue, 0x81, 0x01] + Array(repeating: 7, count: 16)),
      (200, [ValueTag.int.rawValue, 4]),
      (300, [64, 3, 1, 2, 3]), (.max, [ValueTag.redacted.rawValue]),
    ]
    let title: [UInt8] = [ValueTag.string.rawValue, 1, UInt8(ascii: "a")]
    let record = sealedRecord(version: 1, stack: [1], fields: (unknown + [(5, title)]).sorted { $0.0 < $1.0 })
    let first = try update(
      record, at: 2, [(LogSample.title, .string("b")), (LogSample.token, .uuid(LogFixture.logID))])
    let second = try update(first, at: 3, [(LogSample.isDone, .bool(true)), (LogSample.token, .null)])
    for (number, bytes) in unknown { XCTAssertEqual(try raw(second, number), bytes, "property \(number)") }
    XCTAssertEqual(try values(second)[LogSample.title], .string("b"))
    XCTAssertEqual(try values(second)[LogSample.isDone], .bool(true))
    XCTAssertNil(try raw(second, 10))
  }

  func testUpdateToWhatIsThereAlreadyChangesNothing() throws {
    let record = try RecordWriter.inserted(LogFixture.fullValues(map), at: 1, entity, map)
    let same = try LogFixture.fullValues(map).enumerated().map { ($0.offset, $0.element) }
    try record.withUnsafeBytes { bytes in
      XCTAssertTrue(try RecordUpdate(RecordReader(bytes), same, entity, map).isEmpty)
      let other = try RecordUpdate(RecordReader(bytes), [(LogSample.count, .int(1))], entity, map)
      XCTAssertEqual(other.edits.map(\.number), [7])
    }
  }

  func testCanonicallyEquivalentTextIsAChange() throws {
    let record = try RecordWriter.inserted(
      LogFixture.values(map, [LogSample.title: .string("e\u{301}")]), at: 1, entity, map)
    let changed = try update(record, at: 2, [(LogSample.title, .string("\u{E9}"))])
    XCTAssertEqual(try raw(changed, 5), [ValueTag.string.rawValue, 2, 0xC3, 0xA9])
  }

  func testDeletedObjectKeepsItsWayIntoThePastAndComesBackWithIt() throws {
    let inserted = try RecordWriter.inserted(LogFixture.fullValues(map), at: 4, entity, map)
    let updated = try update(inserted, at: 6, [(LogSample.count, .int(0))])
    let tombstone = try updated.withUnsafeBytes { try RecordWriter.deleted(RecordReader($0), at: 9) }
    XCTAssertEqual(try header(tombstone), RecordHeader(kind: .tombstone, version: 3, stack: [9]))
    let again = try tombstone.withUnsafeBytes { bytes in
      try RecordWriter.inserted(LogFixture.fullValues(map), over: RecordReader(bytes), at: 12, entity, map)
    }
    XCTAssertEqual(try header(again), RecordHeader(kind: .object, version: 4, stack: [9, 12]))
    XCTAssertEqual(try values(again), try LogFixture.fullValues(map))
  }

  func testEveryFlippedByteOfARecordIsDetected() throws {
    let record = try update(
      RecordWriter.inserted(LogFixture.fullValues(map), at: 300, entity, map), at: 301, [(LogSample.count, .int(2))])
    for offset in record.indices {
      for bit in 0..<8 {
        var damaged = record
        damaged[offset] ^= 1 << bit
        XCTAssertThrowsError(try values(damaged), "bit \(bit) of byte \(offset)") { XCTAssert($0 is MalformedBytes) }
      }
    }
  }

  func testEveryTruncationOfARecordIsDetected() throws {
    let record = try RecordWriter.inserted(LogFixture.fullValues(map), at: 300, entity, map)
    for length in record.indices {
      XCTAssertThrowsError(try values(Array(record.prefix(length))), "\(length) bytes")
    }
    XCTAssertThrowsError(try values(record + [0]), "one byte more")
  }

  /// With a right checksum over wrong bytes, as another writer or a forger would make them.
  func testWrongContentUnderARightChecksumNeverTraps() throws {
    var random = SeededGenerator(seed: testSeed())
    let record = try RecordWriter.inserted(LogFixture.fullValues(map), at: 300, entity, map)
    for _ in 0..<4_000 {
      var damaged = record
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: 4..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0..<damaged.count - 4, using: &random)) }
      damaged = resealed(damaged)
      _ = try? values(damaged)
      _ = try? header(damaged)
      _ = try? update(damaged, at: Position(.max), [(LogSample.title, .string("x")), (LogSample.blob, .null)])
    }
  }

  func testRecordNotOlderThanTheTransactionIsRefused() throws {
    let record = try RecordWriter.inserted(LogFixture.fullValues(map), at: 300, entity, map)
    XCTAssertThrowsError(try update(record, at: 300, [(LogSample.count, .int(2))]))
    XCTAssertThrowsError(try record.withUnsafeBytes { try RecordWriter.deleted(RecordReader($0), at: 299) })
  }

  func testKeysOfObjectsAndTombstonesComeBack() throws {
    let uuid = LogFixture.object(0xABCD)
    for key in [ObjectKey(entity: 7, uuid: uuid), ObjectKey(tombstoneOf: 7, uuid: uuid)] {
      let back = try XCTUnwrap(key.bytes.withUnsafeBytes { ObjectKey($0) })
      XCTAssertEqual(back.bytes, key.bytes)
      XCTAssertEqual(back.entity, 7)
      XCTAssertEqual(back.uuid, uuid)
      XCTAssertEqual(back.isTombstone, key.isTombstone)
      XCTAssertNil((key.bytes + [0, 1]).withUnsafeBytes { ObjectKey($0) }, "the key of a chunk")
    }
    XCTAssertEqual(ObjectKey(tombstoneOf: 7, uuid: uuid).bytes.prefix(4), [0x80, 0, 0, 7])
  }
}
