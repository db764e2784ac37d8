import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectModel

final class RecordRopeTests: RecordTestCase {
  func testLongValueInARecordIsSteppedOverAndReadAsWhatItIs() throws {
    let rope = Array("text".utf8).withUnsafeBytes { RopeValue($0, isText: true) }
    XCTAssertEqual(rope.length, 4)
    var writer = ByteWriter()
    writer.rope(rope)
    let record = sealedRecord(version: 1, stack: [1], fields: [(6, writer.bytes), (7, [ValueTag.int.rawValue, 2])])
    XCTAssertEqual(try values(record)[LogSample.count], .int(1))
    let raw = try XCTUnwrap(raw(record, 6))
    try raw.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      XCTAssertEqual(try reader.rope(), rope)
      XCTAssertTrue(reader.isAtEnd)
    }
    XCTAssertThrowsError(
      try raw.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        return try reader.value(map)
      })
  }

  func testKeysOfAValueSortByLevelThenOrder() throws {
    let object = LogFixture.object(1)
    let keys = [(5, 0, 1), (5, 0, 1 << 33), (5, 1, 1), (6, 0, 0)].map { property, level, order in
      RopeKey(object: object, property: UInt32(property), level: UInt8(level), order: UInt64(order))
    }
    for key in keys { XCTAssertEqual(key.bytes.withUnsafeBytes { RopeKey($0) }, key) }
    XCTAssertEqual(keys.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }, keys.map(\.bytes))
    XCTAssertEqual(RopeKey.order(between: 1, and: 4), 2)
    XCTAssertNil(RopeKey.order(between: 1, and: 2))
    XCTAssertNil(RopeKey.order(between: 2, and: 1))
  }

  func testOffsetIsFoundByLengthsAlone() throws {
    let lengths = RopeLengths([
      .init(order: 1 << 32, length: 1_956), .init(order: 2 << 32, length: 10), .init(order: 5 << 32, length: 1),
    ])
    let row = lengths.encoded(order: 1 << 32)
    let back = try row.withUnsafeBytes { try RopeLengths($0, order: 1 << 32) }
    XCTAssertEqual(back, lengths)
    XCTAssertEqual(back.length, 1_967)
    for (offset, order, rest) in [(0, 1, 0), (1_955, 1, 1_955), (1_956, 2, 0), (1_966, 5, 0)] {
      let found = try XCTUnwrap(back.chunk(at: UInt64(offset)))
      XCTAssertEqual(found.order, UInt64(order) << 32)
      XCTAssertEqual(found.offset, UInt64(rest))
    }
    XCTAssertNil(back.chunk(at: 1_967))
    let full = RopeLengths((0..<256).map { .init(order: UInt64($0) << 32, length: 1_956) })
    XCTAssertLessThanOrEqual(full.encoded(order: 0).count, ChunkedRows.chunkSize)
  }

  func testDamagedRowsOfARopeAreDetected() throws {
    let chunk = Array("a piece of a long value".utf8).withUnsafeBytes { RopeChunk.encoded($0) }
    XCTAssertEqual(
      try chunk.withUnsafeBytes { String(decoding: try RopeChunk.piece($0), as: UTF8.self) }, "a piece of a long value")
    let lengths = RopeLengths([.init(order: 7, length: 5), .init(order: 9, length: 1_956)]).encoded(order: 7)
    for offset in chunk.indices {
      var damaged = chunk
      damaged[offset] ^= 4
      XCTAssertThrowsError(try damaged.withUnsafeBytes { try RopeChunk.piece($0) })
    }
    for offset in lengths.indices {
      var damaged = lengths
      damaged[offset] ^= 4
      XCTAssertThrowsError(try damaged.withUnsafeBytes { try RopeLengths($0, order: 7) })
    }
    for wrong in [[1, 5, 0, 5], [0, 0], [0, 0xA5, 0x0F], Array(repeating: 0xFF, count: 12)] {
      let row = resealed([0, 0, 0, 0] + wrong.map { UInt8($0) })
      XCTAssertThrowsError(try row.withUnsafeBytes { try RopeLengths($0, order: 7) }, "\(wrong)")
    }
  }
}
