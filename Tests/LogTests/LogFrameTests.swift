import RepriseObjectModel
import RepriseTestLog
import RepriseTestSeeds
import XCTest

@testable import RepriseLog

final class LogFrameTests: LogTestCase {
  func testEnvelopeComesBackWhateverIsInIt() throws {
    var plain = LogFixture.envelope(at: 9)
    plain.base = 0
    var full = LogFixture.envelope(at: 70_000)
    full.replica = ReplicaReference(number: 300, new: LogFixture.replica)
    full.author = .inline("Ada")
    full.contextName = .interned(0)
    full.name = .inline("Rename\u{1F680}")
    full.firstNewName = 12
    full.newNames = ["editor", ""]
    full.undoes = 69_000
    full.supersedes = 3
    full.wallTime = -5
    full.schemaRevision = .max - 1
    var interned = LogFixture.envelope(at: 2)
    interned.author = .interned(.max)
    interned.name = .inline("")
    for (envelope, position) in [(plain, Position(9)), (full, 70_000), (interned, 2)] {
      let encoder = FrameEncoder(envelope, position: position)
      let (bytes, hash, _) = encoder.finish(
        logID: LogFixture.logID, previousHash: LogFixture.seed, logTime: 17)
      try read(bytes) { frame in
        XCTAssertEqual(frame.envelope, envelope)
        XCTAssertEqual(frame.position, position)
        XCTAssertEqual(frame.logTime, 17)
        XCTAssertEqual(frame.hash, hash)
      }
    }
  }

  func testEventsComeBackInOrderWithWhatEachCarries() throws {
    let values = try LogFixture.fullValues(map)
    let record = try RecordWriter.inserted(values, at: 2, entity, map)
    let edge = EdgeChange(
      isAdded: false, entity: 2, source: LogFixture.object(3), property: 44, target: LogFixture.object(4),
      order: [7, 7])
    let compaction = CompactionRecord(floor: 5, hash: LogFixture.seed, base: .zero, policy: .age(86_400_000_000))
    let bytes = try frame(at: 6) { encoder in
      encoder.inserted(LogFixture.object(1), values, entity, map)
      try record.withUnsafeBytes { bytes in
        let reader = try RecordReader(bytes)
        let update = try RecordUpdate(
          reader, [(LogSample.title, .string("Red chair")), (LogSample.note, .null)], entity, map)
        XCTAssertTrue(encoder.updated(LogFixture.object(2), update, entity))
        let nothing = try RecordUpdate(reader, [(LogSample.title, values[LogSample.title])], entity, map)
        XCTAssertFalse(encoder.updated(LogFixture.object(2), nothing, entity))
        encoder.deleted(LogFixture.object(3), reader, entity: 2)
        encoder.merged(LogFixture.object(4), into: LogFixture.object(5), reader, entity: 2)
      }
      encoder.edge(edge, VersionPointers(previous: 5, skip: 2))
      encoder.schema(.entity(number: 3, name: "Person"))
      encoder.compaction(compaction)
    }
    try read(bytes) { frame in
      let events = try frame.events.all()
      XCTAssertEqual(
        events.map(\.kind), [.inserted, .updated, .deleted, .mergedInto, .edgeRemoved, .schema, .compaction])
      XCTAssertEqual(events.map(\.index), Array(0..<7))
      XCTAssertEqual(events.prefix(5).map(\.change?.object.entity), [2, 2, 2, 2, 2])
      XCTAssertEqual(events[0].object(map), AnyObjectID(EntityName("Sample"), LogFixture.object(1)))
      XCTAssertEqual(
        events.map(\.pointers),
        [.none] + Array(repeating: VersionPointers(previous: 2, skip: 2), count: 3)
          + [VersionPointers(previous: 5, skip: 2), .none, .none])
      for place in [0, 2, 3] { XCTAssertEqual(try events[place].wholeValues(entity, map), values) }
      XCTAssertEqual(try events[3].winner(), LogFixture.object(5))
      XCTAssertEqual(try events[4].edge(), edge)
      XCTAssertEqual(try events[5].schemaChange(), .entity(number: 3, name: "Person"))
      XCTAssertEqual(try events[6].compaction(), compaction)
      var after = values
      after[LogSample.title] = .string("Red chair")
      after[LogSample.note] = .null
      XCTAssertEqual(try events[1].change?.applied(to: values, entity, map), after)
      XCTAssertEqual(try events[4].change?.applied(to: values, entity, map), values)
    }
  }

  /// All that a keystroke costs in the log: the frame, and its key.
  func testKeystrokeInALongTextCostsAtMost200Bytes() throws {
    let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 2_300)
    XCTAssertGreaterThan(text.utf8.count, 100_000)
    let record = try RecordWriter.inserted(
      LogFixture.values(map, [LogSample.title: .string(text)]), at: 1_000_000, entity, map)
    var edited = text
    edited.insert("x", at: text.index(text.startIndex, offsetBy: 60_000))
    let bytes = try frame(at: 4_000_000) { encoder in
      try record.withUnsafeBytes { bytes in
        let update = try RecordUpdate(RecordReader(bytes), [(LogSample.title, .string(edited))], entity, map)
        encoder.updated(LogFixture.object(1), update, entity)
      }
    }
    XCTAssertLessThanOrEqual(bytes.count + 10, 200)
    try read(bytes) { frame in
      let change = try XCTUnwrap(frame.events.all()[0].change)
      let (before, after) = (try values(record), try values(record, with: .string(edited)))
      XCTAssertEqual(try change.applied(to: before, entity, map), after)
      XCTAssertEqual(try change.inverse.applied(to: after, entity, map), before)
    }
  }

  private func values(_ record: [UInt8], with title: PropertyValue) throws -> ContiguousArray<PropertyValue> {
    var values = try values(record)
    values[LogSample.title] = title
    return values
  }

  func testEveryFlippedByteOfAFrameIsDetected() throws {
    let bytes = try smallFrame()
    for offset in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[offset] ^= 1 << bit
        XCTAssertThrowsError(try read(damaged) { _ in }, "bit \(bit) of byte \(offset)") {
          XCTAssert($0 is MalformedBytes)
        }
      }
    }
  }

  func testEveryTruncationOfAFrameIsDetected() throws {
    let bytes = try smallFrame()
    for length in bytes.indices {
      XCTAssertThrowsError(try read(Array(bytes.prefix(length))) { _ in }, "\(length) bytes")
    }
    XCTAssertThrowsError(try read(bytes + [0]) { _ in }, "one byte more")
  }

  /// Whoever can write the file can make the checksum fit. The chain then tells, unless it is only the local part.
  func testWrongContentUnderARightChecksumNeverTrapsAndBreaksTheChain() throws {
    var random = SeededGenerator(seed: testSeed())
    let bytes = try smallFrame()
    let shared = try read(bytes) { frame in frame.envelopeBytes.lowerBound..<frame.eventBytes.upperBound }
    let state = try LogFixture.fullValues(map)
    let record = try RecordWriter.inserted(state, at: 2, entity, map)
    for round in 0..<4_000 {
      var damaged = bytes
      let offset = Int.random(in: 4..<damaged.count, using: &random)
      damaged[offset] ^= UInt8.random(in: 1...255, using: &random)
      if round % 3 == 0 { damaged.removeLast(Int.random(in: 0..<damaged.count - 4, using: &random)) }
      damaged = resealed(damaged)
      do {
        try read(damaged) { frame in
          let fits = try frame.verifyHash(logID: LogFixture.logID, previousHash: LogFixture.seed)
          if shared.contains(offset) { XCTAssertFalse(fits, "byte \(offset)") }
          _ = try? frame.keyframes()
          for event in try frame.events.all() {
            _ = try? event.edge()
            _ = try? event.schemaChange()
            _ = try? event.compaction()
            _ = try? event.winner()
            _ = try? event.change?.applied(to: state, entity, map)
            _ = try? event.change?.inverse.applied(to: state, entity, map)
            _ = record.withUnsafeBytes { try? event.replayed(on: $0, at: 6) }
          }
        }
      } catch is MalformedBytes {}
    }
  }

  func testTransactionIsTiedToItsLogAndItsPredecessor() throws {
    let bytes = try smallFrame()
    try read(bytes) { frame in
      XCTAssertTrue(try frame.verifyHash(logID: LogFixture.logID, previousHash: LogFixture.seed))
      XCTAssertFalse(try frame.verifyHash(logID: LogFixture.replica, previousHash: LogFixture.seed))
      XCTAssertFalse(try frame.verifyHash(logID: LogFixture.logID, previousHash: .zero))
    }
  }

  /// The same transaction in two copies of a log differs in the local part only.
  func testLocalPartIsNoPartOfTheHash() throws {
    func frame(logTime: Int64, keyframe: Bool) throws -> (bytes: [UInt8], hash: Digest, events: Int) {
      var encoder = FrameEncoder(LogFixture.envelope(at: 6), position: 6, salts: SaltSource(seed: LogFixture.seed))
      try encoder.inserted(LogFixture.object(1), LogFixture.fullValues(map), entity, map)
      if keyframe {
        encoder.keyframe(try RecordWriter.inserted(LogFixture.fullValues(map), at: 6, entity, map))
      }
      return encoder.finish(logID: LogFixture.logID, previousHash: .zero, logTime: logTime)
    }
    let one = try frame(logTime: 5, keyframe: false)
    let other = try frame(logTime: 900, keyframe: true)
    XCTAssertEqual(one.hash, other.hash)
    XCTAssertNotEqual(one.bytes, other.bytes)
    try read(one.bytes) { frame in XCTAssertTrue(try frame.keyframes().isEmpty) }
    try read(other.bytes) { frame in
      let keyframes = try frame.keyframes()
      XCTAssertEqual(keyframes.map(\.event), [0])
      XCTAssertEqual(try keyframes[0].record().values(entity, map), try LogFixture.fullValues(map))
      XCTAssertEqual(try keyframes[0].record().header, RecordHeader(kind: .object, version: 1, stack: [6]))
    }
  }

  func testEqualEventsHaveDifferentHashesSoThatErasedOnesCannotBeGuessed() throws {
    var encoder = FrameEncoder(LogFixture.envelope(at: 6), position: 6)
    for _ in 0..<5 { encoder.schema(.entity(number: 1, name: "a")) }
    let bytes = encoder.finish(logID: LogFixture.logID, previousHash: .zero, logTime: 0).bytes
    try read(bytes) { frame in
      XCTAssertEqual(Set(try frame.events.all().map(\.hash)).count, 5)
    }
  }

  private func smallFrame() throws -> [UInt8] {
    let record = try RecordWriter.inserted(LogFixture.fullValues(map), at: 2, entity, map)
    var envelope = LogFixture.envelope(at: 6)
    envelope.author = .inline("Ada")
    envelope.newNames = ["editor"]
    return try frame(at: 6, envelope) { encoder in
      try record.withUnsafeBytes { bytes in
        let update = try RecordUpdate(
          RecordReader(bytes), [(LogSample.title, .string("Red chair")), (LogSample.big, .null)], entity, map)
        encoder.updated(LogFixture.object(1), update, entity)
        encoder.keyframe(try update.record(at: 6))
        encoder.deleted(LogFixture.object(2), try RecordReader(bytes), entity: 2)
      }
      try encoder.inserted(LogFixture.object(3), LogFixture.fullValues(map), entity, map)
    }
  }
}
