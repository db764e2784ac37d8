import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

final class LogRedactionTests: LogTestCase {
  private let secret = "correct horse battery staple"

  private func secretFrame() throws -> [UInt8] {
    var envelope = LogFixture.envelope(at: 6)
    envelope.author = .inline("Ada Lovelace")
    envelope.name = .inline("Set password")
    envelope.newNames = ["password editor"]
    let other = try LogFixture.fullValues(map)
    let hidden = try LogFixture.values(map, [LogSample.title: .string(secret), LogSample.count: .int(1)])
    return try frame(at: 6, envelope) { encoder in
      encoder.inserted(LogFixture.object(1), other, entity, map)
      encoder.inserted(LogFixture.object(2), hidden, entity, map)
      encoder.inserted(LogFixture.object(3), other, entity, map)
    }
  }

  private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
    let text = Array(text.utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: text) }
  }

  func testRedactedEventIsGoneAndTheChainStillVerifies() throws {
    let whole = try secretFrame()
    XCTAssertTrue(holds(whole, secret))
    let redacted = try read(whole) { try $0.redacting([2: []]) }
    XCTAssertFalse(holds(redacted, secret))
    let twice = try read(redacted) { try $0.redacting([2: []]) }
    XCTAssertEqual(twice, redacted)
    try read(redacted) { frame in
      XCTAssertTrue(try frame.verifyHash(logID: LogFixture.logID, previousHash: LogFixture.seed))
      let events = try frame.events.all()
      XCTAssertEqual(events.map(\.isRedacted), [false, false, true, false])
      XCTAssertNil(events[2].kind)
      XCTAssertEqual(try events[1].wholeValues(entity, map), try LogFixture.fullValues(map))
      XCTAssertThrowsError(try events[2].replayed(on: nil, at: 6)) {
        XCTAssertEqual($0 as? ReplayError, .redacted(event: 2))
      }
    }
  }

  func testWhatIsLeftOfARedactedEventIsReadable() throws {
    let whole = try secretFrame()
    var residue = ByteWriter()
    residue.append(EventKind.inserted.rawValue)
    residue.varint(UInt64(2))
    residue.uuid(LogFixture.object(2))
    residue.append([5, ValueTag.redacted.rawValue])
    residue.append([7, ValueTag.int.rawValue, 2])
    let redacted = try read(whole) { try $0.redacting([2: residue.bytes]) }
    try read(redacted) { frame in
      XCTAssertTrue(try frame.verifyHash(logID: LogFixture.logID, previousHash: LogFixture.seed))
      let event = try frame.events.all()[2]
      XCTAssertEqual(event.kind, .inserted)
      XCTAssertEqual(event.change?.object.uuid, LogFixture.object(2))
      XCTAssertTrue(event.isRedacted)
      XCTAssertEqual(try event.change?.whole?.raw(7).map { [UInt8]($0) }, [ValueTag.int.rawValue, 2])
      // What was erased reads as the default.
      XCTAssertEqual(try event.wholeValues(entity, map)?[LogSample.title], entity.defaults[LogSample.title])
      XCTAssertEqual(try event.wholeValues(entity, map)?[LogSample.count], .int(1))
    }
    for offset in redacted.indices {
      var damaged = redacted
      damaged[offset] ^= 1
      XCTAssertThrowsError(try read(damaged) { _ in }, "byte \(offset)")
    }
  }

  func testRedactedChangeOfAnUpdateSaysOnlyThatItChanged() throws {
    let record = try RecordWriter.inserted(LogFixture.fullValues(map), at: 2, entity, map)
    let whole = try frame(at: 6) { encoder in
      try record.withUnsafeBytes { bytes in
        let update = try RecordUpdate(RecordReader(bytes), [(LogSample.title, .string(secret))], entity, map)
        encoder.updated(LogFixture.object(1), update, entity)
      }
    }
    var residue = ByteWriter()
    residue.append(EventKind.updated.rawValue)
    residue.varint(UInt64(2))
    residue.uuid(LogFixture.object(1))
    residue.varint(UInt64(5 << 2 | 3))
    let redacted = try read(whole) { try $0.redacting([0: residue.bytes]) }
    try read(redacted) { frame in
      let change = try XCTUnwrap(frame.events.all()[0].change)
      var fields = change.fields
      let (number, field) = try XCTUnwrap(try fields.next())
      XCTAssertEqual(number, 5)
      guard case .redacted = field else { return XCTFail("not redacted") }
      XCTAssertNil(try fields.next()?.number)
      let after = try LogFixture.fullValues(map)
      var before = after
      before[LogSample.title] = entity.defaults[LogSample.title]
      XCTAssertEqual(try change.inverse.applied(to: after, entity, map), before)
    }
  }

  func testNamesCanBeRedactedToo() throws {
    let whole = try secretFrame()
    let redacted = try read(whole) { try $0.redacting([0: []]) }
    XCTAssertFalse(holds(redacted, "Lovelace"))
    try read(redacted) { frame in
      XCTAssertTrue(try frame.verifyHash(logID: LogFixture.logID, previousHash: LogFixture.seed))
      XCTAssertEqual(frame.envelope.author, .redacted)
      XCTAssertEqual(frame.envelope.name, .redacted)
      XCTAssertEqual(frame.envelope.contextName, .none)
    }
    var residue = ByteWriter()
    residue.append([EventKind.names.rawValue, 0, 1])
    residue.string("password editor")
    residue.append([2, 0])
    residue.string("Set password")
    let partly = try read(whole) { try $0.redacting([0: residue.bytes]) }
    try read(partly) { frame in
      XCTAssertEqual(frame.envelope.author, .redacted)
      XCTAssertEqual(frame.envelope.name, .inline("Set password"))
      XCTAssertEqual(frame.envelope.newNames, ["password editor"])
    }
  }
}
