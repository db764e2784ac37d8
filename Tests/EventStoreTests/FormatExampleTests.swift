import Foundation
import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseEventStore

/// The example that Docs/FileFormat.md works through is what the library writes: each dump, and each table that takes
/// the dump apart, is held against bytes made here.
final class FormatExampleTests: XCTestCase {
  private final class Item: TestModel {
    static let entity = Entity(
      Item.self, name: "Item",
      properties: [.attribute("name", String.self), .attribute("price", Int.self, default: 0)])

    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  private let log = UniqueID(high: 0x019B_76DA_A800_7000, low: 0x8000_0000_0000_0001)
  private let chair = UniqueID(high: 0x019B_76DA_A800_7000, low: 0x8000_0000_0000_0002)
  private let journal = UniqueID(high: 0x019B_76DA_A800_7000, low: 0x8000_0000_0000_0003)
  /// 2026-01-01 00:00 UTC.
  private let newYear: Int64 = 1_767_225_600_000_000

  private func schema() throws -> SchemaMap {
    var stored = StoredSchema()
    stored.revision = 1
    let properties = [
      StoredProperty(number: 1, name: "name", role: .attribute(.string, isOptional: false), defaultValue: .string("")),
      StoredProperty(number: 2, name: "price", role: .attribute(.int, isOptional: false), defaultValue: .int(0)),
    ]
    stored.entities = [StoredEntity(number: 1, name: "Item", properties: properties)]
    return SchemaMap(try ResolvedSchema(Schema(Item.self)), stored)
  }

  private func envelope(at position: Position) -> FrameEnvelope {
    FrameEnvelope(
      transactionID: UniqueID(high: 0x019B_76DA_A800_7000, low: 0x8000_0000_0000_0010 + position.number),
      replica: ReplicaReference(number: 0), base: position - 1, wallTime: newYear, schemaRevision: 1)
  }

  private func frame(_ values: ContiguousArray<PropertyValue>, _ map: SchemaMap, _ entity: EntityMap) -> [UInt8] {
    var first = FrameEncoder(envelope(at: 1), position: 1, salts: SaltSource(seed: .zero))
    first.schema(.entity(number: 1, name: "Item"))
    let (_, hash, _) = first.finish(logID: log, previousHash: .zero, logTime: newYear - 1)
    var envelope = envelope(at: 2)
    envelope.newNames = ["ada"]
    envelope.author = .interned(0)
    envelope.name = .inline("Add chair")
    var second = FrameEncoder(envelope, position: 2, salts: SaltSource(seed: .zero))
    second.inserted(chair, values, entity, map)
    return second.finish(logID: log, previousHash: hash, logTime: newYear).bytes
  }

  private func journalFrame(_ map: SchemaMap) throws -> [UInt8] {
    let renamed = PropertyChange(slot: 0, old: .string("Red chair"), new: .string("Blue chair"))
    let step = DraftEdit(object: AnyObjectID(Item.entity.interned, chair), change: .updated([renamed]))
    var frame = JournalFrame()
    var track = TextTrack()
    let header = DraftHeader(id: "editor", parent: nil, author: "ada", base: 2, baseHash: 0xEF5A_1721_00F6_6E53)
    try frame.append(.draftBegan(header, generation: 1), map, &track)
    try frame.append(
      .draftEdited(draft: "editor", generation: 1, startsGroup: true, groupName: "Rename", step), map, &track)
    var bytes: [UInt8] = []
    JournalFormat.frame(
      1, frame.payload(time: UInt64(newYear)), seed: JournalFormat.seed(log: log, journal: journal), to: &bytes)
    return bytes
  }

  private func example() throws -> [(title: String, bytes: [UInt8])] {
    let map = try schema()
    let entity = try XCTUnwrap(map.map(number: 1))
    let values: ContiguousArray<PropertyValue> = [.string("Red chair"), .int(120)]
    return [
      ("The frame", frame(values, map, entity)),
      ("The record", try RecordWriter.inserted(values, at: 2, entity, map)),
      ("The journal's frame", try journalFrame(map)),
    ]
  }

  /// The lines of the page from a heading on, up to the next one.
  private func section(_ title: String, of page: String) throws -> [Substring] {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try XCTUnwrap(lines.firstIndex { $0 == "### \(title)" }, "FileFormat.md has no section '\(title)'")
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("#") })
  }

  private func dump(_ bytes: [UInt8]) -> [String] {
    stride(from: 0, to: bytes.count, by: 16).map { start in
      let row = bytes[start..<min(start + 16, bytes.count)]
      let text = row.map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "." }
      let digits = row.map { hex([$0]) }.joined(separator: " ")
      return hex([UInt8(start >> 8), UInt8(start & 0xFF)]) + "  "
        + digits.padding(toLength: 49, withPad: " ", startingAt: 0) + String(text)
    }
  }

  func testTheExampleOfThePageIsWhatTheLibraryWrites() throws {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Docs/FileFormat.md").standardizedFileURL
    let page = try String(contentsOf: file, encoding: .utf8)
    for (title, bytes) in try example() {
      let lines = try section(title, of: page)
      let dumped = lines.filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
      XCTAssertEqual(dumped, dump(bytes), "\(title):\n" + dump(bytes).map { "    \($0)" }.joined(separator: "\n"))
      let cells = lines.filter { $0.hasPrefix("| `") }.map { $0.split(separator: "`")[1] }
      XCTAssertEqual(cells.joined().filter { $0 != " " }, hex(bytes), "the table of \(title)")
    }
  }
}
