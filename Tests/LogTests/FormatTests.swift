import Foundation
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

/// The bytes of every structure, pinned. The independent reader's own test decodes the same file.
final class FormatTests: LogTestCase {
  private func golden() throws -> [(name: String, hex: String)] {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../FormatReader/golden.txt")
    return try String(contentsOf: file.standardizedFileURL, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }
  }

  private func structures() throws -> [(name: String, hex: String)] {
    var found: [(String, [UInt8])] = []
    let history = try FormatHistory()
    found.append(("log", uuid(LogFixture.logID)))
    found.append(("schema", LogFixture.storedSchema.encoded()))
    for (index, frame) in history.frames.enumerated() { found.append(("frame-\(index + 1)", frame)) }
    for (key, record) in history.records.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      found.append(("record-" + hex(key.bytes), record))
    }
    found.append(("frame-2-redacted", try read(history.frames[1]) { try $0.redacting([2: []]) }))
    found.append(("record-of-version-12", try record(versions: 12)))
    for (name, value) in values() {
      var writer = ByteWriter()
      writer.value(value, map)
      found.append(("value-" + name, writer.bytes))
    }
    let text = Array("a long value".utf8)
    var longValue = ByteWriter()
    text.withUnsafeBytes { longValue.longValue(LongValue($0, isText: true)) }
    found.append(("value-long", longValue.bytes))
    found.append(("long-value-key", LongValueKey(object: LogFixture.object(1), property: 5, order: 1 << 32).bytes))
    found.append(("value-chunk", text.withUnsafeBytes { ValueChunk.encoded($0) }))
    var compaction = ByteWriter()
    compaction.compaction(
      CompactionRecord(floor: 300, hash: LogFixture.seed, base: .zero, policy: .position(290)))
    found.append(("compaction", compaction.bytes))
    return found.map { ($0.0, hex($0.1)) }
  }

  private func values() -> [(String, PropertyValue)] {
    [
      ("null", .null), ("no", .bool(false)), ("yes", .bool(true)), ("int", .int(-2)), ("int-least", .int(.min)),
      ("unsigned", .unsigned(.max)), ("double", .double(-0.5)), ("text", .string("ü\u{1F680}")),
      ("bytes", .bytes([0, 255])),
      ("date", .date(700_000_000.25)), ("uuid", .uuid(LogFixture.logID)),
      ("reference", .reference(AnyObjectID(EntityName("Sample"), LogFixture.object(4)))),
    ]
  }

  private func record(versions: UInt64) throws -> [UInt8] {
    var record = try RecordWriter.inserted(LogFixture.values(map, [:]), at: 10, entity, map)
    for version in 2...versions {
      record = try update(record, at: Position(version * 10), [(LogSample.count, .int(Int64(version)))])
    }
    XCTAssertEqual(try header(record).stack, [70, 100, 110, 120])
    return record
  }

  private func uuid(_ id: UniqueID) -> [UInt8] {
    var writer = ByteWriter()
    writer.uuid(id)
    return writer.bytes
  }

  func testBytesOfEveryStructureAreTheGoldenOnes() throws {
    let found = try structures()
    let expected = try golden()
    XCTAssertEqual(found.map(\.name), expected.map(\.name))
    for (found, expected) in zip(found, expected) {
      XCTAssertEqual(found.hex, expected.hex, "\(found.name) \(found.hex)")
    }
  }

  func testGoldenValuesAreReadAsWhatTheyAre() throws {
    let golden = Dictionary(uniqueKeysWithValues: try golden())
    for (name, value) in values() {
      let bytes = bytes(hex: try XCTUnwrap(golden["value-" + name]))
      try bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        XCTAssertTrue(try reader.value(map).isIdentical(to: value), name)
        var skipped = ByteReader(bytes)
        try skipped.skipValue()
        XCTAssertTrue(skipped.isAtEnd, name)
      }
    }
    let schema = bytes(hex: try XCTUnwrap(golden["schema"]))
    XCTAssertEqual(try schema.withUnsafeBytes { try StoredSchema(encoded: $0) }, LogFixture.storedSchema)
  }
}
