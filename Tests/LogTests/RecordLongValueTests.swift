import RepriseObjectModel
import RepriseTestLog
import RepriseTestSeeds
import XCTest

@testable import RepriseLog

final class RecordLongValueTests: RecordTestCase {
  func testLongValueInARecordIsSteppedOverAndReadAsWhatItIs() throws {
    let longValue = Array("text".utf8).withUnsafeBytes { LongValue($0, isText: true) }
    XCTAssertEqual(longValue.length, 4)
    var writer = ByteWriter()
    writer.longValue(longValue)
    let record = sealedRecord(version: 1, stack: [1], fields: [(6, writer.bytes), (7, [ValueTag.int.rawValue, 2])])
    XCTAssertEqual(try values(record)[LogSample.count], .int(1))
    let raw = try XCTUnwrap(raw(record, 6))
    try raw.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      XCTAssertEqual(try reader.longValue(), longValue)
      XCTAssertTrue(reader.isAtEnd)
    }
    XCTAssertThrowsError(
      try raw.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        return try reader.value(map)
      })
  }

  func testKeysOfAValueSortByItsPropertyThenByOrder() throws {
    let object = LogFixture.object(1)
    let keys = [(5, 1), (5, 1 << 33), (6, 0)].map { property, order in
      LongValueKey(object: object, property: UInt32(property), order: UInt64(order))
    }
    for key in keys { XCTAssertEqual(key.bytes.withUnsafeBytes { LongValueKey($0) }, key) }
    XCTAssertEqual(keys.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }, keys.map(\.bytes))
  }

  func testDamagedChunksAreDetected() throws {
    let chunk = Array("a piece of a long value".utf8).withUnsafeBytes { ValueChunk.encoded($0) }
    XCTAssertEqual(
      try chunk.withUnsafeBytes { String(decoding: try ValueChunk.piece($0), as: UTF8.self) }, "a piece of a long value"
    )
    for offset in chunk.indices {
      var damaged = chunk
      damaged[offset] ^= 4
      XCTAssertThrowsError(try damaged.withUnsafeBytes { try ValueChunk.piece($0) })
    }
  }

  /// A record says by its kind alone whether something of it lies elsewhere: who does not ask, does not take it.
  func testASplitRecordIsNotTakenForAWholeOne() throws {
    let longValue = Array("text".utf8).withUnsafeBytes { LongValue($0, isText: true) }
    var writer = ByteWriter()
    writer.longValue(longValue)
    var record = sealedRecord(version: 1, stack: [1], fields: [(6, writer.bytes), (7, [ValueTag.int.rawValue, 2])])
    record[Checksum.size] = RecordReader.splitKind
    record = resealed(record)
    XCTAssertThrowsError(try record.withUnsafeBytes { try RecordReader($0) })
    try record.withUnsafeBytes { bytes in
      let reader = try RecordReader(stored: bytes)
      XCTAssertEqual(reader.kind, .object)
      XCTAssertEqual(try reader.longFields().map(\.value), [longValue])
    }
  }

  /// Whatever is changed, the chunks after it are the value after it; few are written, and none becomes too small.
  func testRandomSplicesOfChunksAreTheValueAndTouchFewOfThem() throws {
    for seed in testSeeds(4) {
      var random = SeededGenerator(seed: seed)
      var value = (0..<Int.random(in: 4_096...60_000, using: &random)).map { _ in
        UInt8.random(in: 0...3, using: &random)
      }
      var chunks: [UInt64: [UInt8]] = [:]
      func writeAnew() {
        chunks = [:]
        for (place, start) in stride(from: 0, to: value.count, by: ValueChunk.maximum).enumerated() {
          chunks[UInt64(place + 1) * LongValueKey.gap] = [UInt8](
            value[start..<min(start + ValueChunk.maximum, value.count)])
        }
      }
      writeAnew()
      let place = Int.random(in: 0...value.count, using: &random)
      for step in 0..<400 {
        let isTyping = step % 3 != 0
        let start = isTyping ? min(place + step, value.count) : Int.random(in: 0...value.count, using: &random)
        let end = isTyping ? start : min(value.count, start + [0, 1, 30, 5_000].randomElement(using: &random)!)
        let count = isTyping ? 1 : [0, 1, 7, 300, 9_000].randomElement(using: &random)!
        if value.count - (end - start) + count < 4_096 { continue }
        let before = value
        value.replaceSubrange(start..<end, with: (0..<count).map { _ in UInt8.random(in: 0...3, using: &random) })
        let plan = before.withUnsafeBytes { old in
          value.withUnsafeBytes { new -> LongValueLayout.Plan? in
            var layout = LongValueLayout()
            for order in chunks.keys.sorted() { layout.add(order, chunks[order]!.count) }
            XCTAssertTrue(layout.isOf(length: before.count))
            return layout.plan(for: Splice(from: old, to: new, isText: false))
          }
        }
        guard let plan else {
          writeAnew()
          continue
        }
        for (order, range) in plan.written { chunks[order] = [UInt8](value[range]) }
        for order in plan.removed { chunks[order] = nil }
        XCTAssertEqual(chunks.keys.sorted().flatMap { chunks[$0]! }, value, "seed \(seed), step \(step)")
        XCTAssertLessThanOrEqual(plan.written.count, 3 + (end - start + count) / 900, "seed \(seed), step \(step)")
        XCTAssertTrue(chunks.values.allSatisfy { $0.count <= ValueChunk.maximum })
        XCTAssertLessThan(chunks.count, 2 + value.count / (ValueChunk.maximum / 4), "seed \(seed), step \(step)")
        if testRun?.failureCount ?? 0 > 0 { return }
      }
    }
  }
}
