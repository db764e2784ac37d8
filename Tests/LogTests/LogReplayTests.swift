import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import RepriseTestSeeds
import XCTest

/// Random histories: what the writer puts into the head must be what the log says.
final class LogReplayTests: LogTestCase {
  private struct History {
    var frames: [[UInt8]] = []
    /// The head after each position, by object; tombstones included.
    var heads: [[UniqueID: [UInt8]]] = [[:]]
    var hash = Digest.zero
  }

  private func randomValue(_ slot: Int, _ random: inout SeededGenerator) -> PropertyValue {
    if slot != LogSample.title, slot != LogSample.count, slot != LogSample.isDone, random.next() % 4 == 0 {
      return .null
    }
    switch slot {
    case LogSample.title, LogSample.note:
      let starts = ["", "Chair", "Ä long and winding title of something, ", "Chair \u{1F4BA} "]
      let start = starts[Int(random.next() % 4)]
      return .string(start + String(random.next() % 100, radix: 2) + "\u{E9}")
    case LogSample.isDone: return .bool(Bool.random(using: &random))
    case LogSample.count: return .int(Int64(bitPattern: random.next() >> UInt64.random(in: 0...63, using: &random)))
    case LogSample.big: return .unsigned(random.next())
    case LogSample.ratio: return .double([0.0, -0.0, .nan, 1.5].randomElement(using: &random)!)
    case LogSample.blob: return .bytes(Array(repeating: 3, count: Int(random.next() % 90)) + [UInt8(random.next() % 9)])
    case LogSample.token: return .uuid(LogFixture.object(random.next() % 5))
    case LogSample.parent: return .reference(AnyObjectID(EntityName("Sample"), LogFixture.object(random.next() % 9)))
    default: return .null
    }
  }

  private func history(_ transactions: Int, _ random: inout SeededGenerator) throws -> History {
    var history = History()
    for position in 1...(Position(0) + transactions) {
      var head = history.heads[history.heads.count - 1]
      var encoder = FrameEncoder(LogFixture.envelope(at: position), position: position)
      for number in Set((0..<Int.random(in: 1...4, using: &random)).map { _ in random.next() % 9 }) {
        let uuid = LogFixture.object(number)
        guard let before = head[uuid] else {
          let values = ContiguousArray(entity.defaults.indices.map { randomValue($0, &random) })
          encoder.inserted(uuid, values, entity, map)
          head[uuid] = try RecordWriter.inserted(values, at: position, entity, map)
          continue
        }
        head[uuid] = try before.withUnsafeBytes { bytes in
          let record = try RecordReader(bytes)
          if record.kind == .tombstone {
            let values = ContiguousArray(entity.defaults.indices.map { randomValue($0, &random) })
            encoder.inserted(uuid, values, over: record, entity, map)
            return try RecordWriter.inserted(values, over: record, at: position, entity, map)
          }
          if random.next() % 5 == 0 {
            if Bool.random(using: &random) {
              encoder.deleted(uuid, record, entity: entity.number)
            } else {
              encoder.merged(uuid, into: LogFixture.object(99), record, entity: entity.number)
            }
            return try RecordWriter.deleted(record, at: position)
          }
          let slots = Set((0..<Int.random(in: 1...3, using: &random)).map { _ in Int(random.next() % 9) })
          let update = try RecordUpdate(record, slots.map { ($0, randomValue($0, &random)) }, entity, map)
          guard encoder.updated(uuid, update, entity) else { return before }
          return try update.record(at: position)
        }
      }
      let (bytes, hash, _) = encoder.finish(
        logID: LogFixture.logID, previousHash: history.hash, logTime: Int64(position.number))
      history.frames.append(bytes)
      history.hash = hash
      history.heads.append(head)
    }
    return history
  }

  func testHeadIsTheFoldOfTheLogByteForByte() throws {
    var random = SeededGenerator(seed: testSeed())
    let history = try history(200, &random)
    var head: [UniqueID: [UInt8]] = [:]
    var hash = Digest.zero
    for (index, bytes) in history.frames.enumerated() {
      try read(bytes) { frame in
        XCTAssertTrue(try frame.verifyHash(logID: LogFixture.logID, previousHash: hash))
        hash = frame.hash
        for event in try frame.events.all() {
          let uuid = try XCTUnwrap(event.change).object.uuid
          if let record = head[uuid] {
            head[uuid] = try record.withUnsafeBytes { try event.replayed(on: $0, at: frame.position) }
          } else {
            head[uuid] = try event.replayed(on: nil, at: frame.position)
          }
        }
      }
      XCTAssertEqual(head, history.heads[index + 1], "after transaction \(index + 1)")
    }
  }

  func testValuesGoForwardAndBackThroughEveryEvent() throws {
    var random = SeededGenerator(seed: testSeed())
    let history = try history(120, &random)
    func state(_ position: Int, _ uuid: UniqueID) throws -> ContiguousArray<PropertyValue>? {
      guard let record = history.heads[position][uuid] else { return nil }
      return try record.withUnsafeBytes { bytes in
        let reader = try RecordReader(bytes)
        return reader.kind == .object ? try reader.values(entity, map) : nil
      }
    }
    for index in history.frames.indices.reversed() {
      try read(history.frames[index]) { frame in
        for event in try frame.events.all() {
          let change = try XCTUnwrap(event.change)
          let before = try state(index, change.object.uuid)
          let after = try state(index + 1, change.object.uuid)
          XCTAssertEqual(try change.applied(to: before, entity, map), after)
          XCTAssertEqual(try change.inverse.applied(to: after, entity, map), before)
          XCTAssertEqual(try change.inverse.inverse.applied(to: before, entity, map), after)
        }
      }
    }
  }

  func testEventThatDoesNotFitTheStateIsRefused() throws {
    let values = try LogFixture.fullValues(map)
    let record = try RecordWriter.inserted(values, at: 2, entity, map)
    let other = try update(record, at: 3, [(LogSample.title, .string("Another"))])
    let long = String(repeating: "a long note ", count: 9)
    let noted = try LogFixture.values(map, [LogSample.note: .string(long)])
    let withNote = try RecordWriter.inserted(noted, at: 2, entity, map)
    let bytes = try frame(at: 6) { encoder in
      encoder.inserted(LogFixture.object(1), values, entity, map)
      try record.withUnsafeBytes { bytes in
        let reader = try RecordReader(bytes)
        encoder.updated(
          LogFixture.object(1), try RecordUpdate(reader, [(LogSample.title, .string("x"))], entity, map), entity)
        encoder.deleted(LogFixture.object(1), reader, entity: 2)
      }
      try withNote.withUnsafeBytes { bytes in
        let update = try RecordUpdate(RecordReader(bytes), [(LogSample.note, .string(long + "!"))], entity, map)
        encoder.updated(LogFixture.object(1), update, entity)
      }
    }
    let id = LogFixture.object(1)
    let relabelled = sealedRecord(version: 1, stack: [2], fields: [(5, [ValueTag.string.rawValue, 1, 97])])
    try read(bytes) { frame in
      let events = try frame.events.all()
      func refused(_ event: Int, on record: [UInt8]?, _ error: ReplayError, line: UInt = #line) {
        let replay = {
          guard let record else { return try events[event].replayed(on: nil, at: 6) }
          return try record.withUnsafeBytes { try events[event].replayed(on: $0, at: 6) }
        }
        XCTAssertThrowsError(try replay(), line: line) { XCTAssertEqual($0 as? ReplayError, error, line: line) }
      }
      let two = VersionPointers(previous: 2, skip: 2)
      refused(0, on: record, .otherHistory(id, expected: two, found: .none))
      refused(1, on: nil, .otherHistory(id, expected: .none, found: two))
      refused(1, on: other, .otherHistory(id, expected: VersionPointers(previous: 3, skip: 0), found: two))
      refused(1, on: relabelled, .otherValue(id, property: 5))
      refused(2, on: relabelled, .otherValue(id, property: 0))
      refused(3, on: record, .otherValue(id, property: 4))

      let changes = try events.map { try XCTUnwrap($0.change) }
      XCTAssertThrowsError(try changes[0].applied(to: values, entity, map)) {
        XCTAssertEqual($0 as? ReplayError, .presentObject(id))
      }
      XCTAssertThrowsError(try changes[1].inverse.applied(to: values, entity, map)) {
        XCTAssertEqual($0 as? ReplayError, .otherValue(id, property: 5))
      }
      XCTAssertThrowsError(try changes[3].inverse.applied(to: values, entity, map)) {
        XCTAssertEqual($0 as? ReplayError, .otherValue(id, property: 4))
      }
      for place in [1, 2] {
        XCTAssertThrowsError(try changes[place].applied(to: nil, entity, map)) {
          XCTAssertEqual($0 as? ReplayError, .missingObject(id))
        }
      }
    }
  }
}
