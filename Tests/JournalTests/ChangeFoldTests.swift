import RepriseJournal
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import RepriseTestSeeds
import XCTest

/// What changes come to when their bytes are folded is what they come to in slots.
final class ChangeFoldTests: ChangeTestCase {
  /// A fold with the bytes of its changes, of which some are as in a file and some as copied.
  private struct Folded {
    var fold = ChangeFold()
    var file: [UInt8]
    var copies: [UInt8] = []

    func lend<Result>(_ body: (ChangeFold, LentBytes) throws -> Result) rethrows -> Result {
      try file.withUnsafeBytes { file in
        try copies.withUnsafeBytes { copies in try body(fold, LentBytes(file: file, copies: copies)) }
      }
    }

    mutating func add(_ range: Range<Int>) throws {
      let (file, copies) = (file, copies)
      try file.withUnsafeBytes { file in
        try copies.withUnsafeBytes { copies in
          let bytes = LentBytes(file: file, copies: copies)
          try fold.add(Change(bytes[range]), bytes)
        }
      }
    }

    /// By object; without what comes to nothing.
    func changes(_ map: SchemaMap) throws -> [AnyObjectID: ObjectChange] {
      try lend { fold, bytes in
        var changes: [AnyObjectID: ObjectChange] = [:]
        for net in fold.nets {
          if let (object, change) = try fold.change(net, bytes, map) { changes[object] = change }
        }
        return changes
      }
    }
  }

  /// Changes as one draft has them, now and then with something else below.
  private func changes(
    _ count: Int, isSteady: Bool = false, _ random: inout SeededGenerator
  ) -> [(AnyObjectID, ObjectChange)] {
    var now: [AnyObjectID: Values] = [:]
    return (0..<count).compactMap { _ in
      let id = AnyObjectID(LogSample.entity.interned, LogFixture.object(random.next() % 4))
      let isOther = !isSteady && Int.random(in: 0..<12, using: &random) == 0
      let before = isOther ? values(&random) : now[id]
      guard let before else {
        let after = values(&random)
        now[id] = after
        return (id, .inserted(after))
      }
      if Int.random(in: 0..<6, using: &random) == 0 {
        now[id] = nil
        return (id, .deleted(before))
      }
      let isBack = Int.random(in: 0..<4, using: &random) == 0
      let after = isBack ? values(&random) : changed(before, &random)
      now[id] = after
      return ObjectChange.updated(from: before, to: after).map { (id, $0) }
    }
  }

  private func oracle(_ changes: some Sequence<(AnyObjectID, ObjectChange)>) -> [AnyObjectID: ObjectChange] {
    var net: [AnyObjectID: ObjectChange] = [:]
    for (id, change) in changes { net[id] = net[id].map { $0.followed(by: change) } ?? change }
    return net
  }

  func testAFoldComesToWhatItsChangesComeTo() throws {
    for seed in testSeeds(40) {
      var random = SeededGenerator(seed: seed)
      let changes = changes(Int.random(in: 0...60, using: &random), &random)
      let bodies = changes.map { body($1, of: $0.uuid) }
      // Half of them lie in a file, the others are copied.
      let border = bodies.count / 2
      var folded = Folded(file: Array(bodies[..<border].joined()))
      var start = 0
      for (place, bytes) in bodies.enumerated() {
        if place == border { start = LentBytes.copied }
        if place >= border { folded.copies += bytes }
        try folded.add(start..<start + bytes.count)
        start += bytes.count
        XCTAssertEqual(try folded.changes(map), oracle(changes[...place]), "seed \(seed), change \(place)")
      }
    }
  }

  func testNetChangesThatAreWrittenAndFoldedAgainAreTheSame() throws {
    for seed in testSeeds(20) {
      var random = SeededGenerator(seed: seed)
      let changes = changes(40, &random)
      let bodies = changes.map { body($1, of: $0.uuid) }
      var folded = Folded(file: Array(bodies.joined()))
      var start = 0
      for bytes in bodies {
        try folded.add(start..<start + bytes.count)
        start += bytes.count
      }
      for keepsAll in [false, true] {
        let nets = folded.lend { fold, bytes in
          fold.nets.filter { fold.isChange($0, bytes) }.map { net in
            var writer = ByteWriter()
            fold.write(net, bytes, to: &writer) { _, isChanged in keepsAll || isChanged || net.kind != .updated }
            return writer.bytes
          }
        }
        var again = Folded(file: Array(nets.joined()))
        var start = 0
        for bytes in nets {
          try again.add(start..<start + bytes.count)
          start += bytes.count
        }
        XCTAssertEqual(try again.changes(map), try folded.changes(map), "seed \(seed)")
      }
    }
  }

  func testFoldsOfPartsComeToTheFoldOfAll() throws {
    for seed in testSeeds(20) {
      var random = SeededGenerator(seed: seed)
      let changes = changes(40, isSteady: true, &random)
      let bodies = changes.map { body($1, of: $0.uuid) }
      let file = Array(bodies.joined())
      var (whole, first, second) = (Folded(file: file), Folded(file: file), Folded(file: file))
      var start = 0
      for (place, bytes) in bodies.enumerated() {
        let range = start..<start + bytes.count
        try whole.add(range)
        if place < 20 { try first.add(range) } else { try second.add(range) }
        start = range.upperBound
      }
      let later = second.fold
      file.withUnsafeBytes { bytes in
        first.fold.append(later, LentBytes(file: bytes, copies: .noValue))
      }
      XCTAssertEqual(try first.changes(map), try whole.changes(map), "seed \(seed)")
    }
  }

  func testTextsThatAreSplicedInAFoldAreWhatWasTyped() throws {
    for seed in testSeeds(10) {
      var random = SeededGenerator(seed: seed)
      var before = try LogFixture.fullValues(map)
      before[LogSample.title] = .string(String(repeating: "typed é ", count: 40))
      var after = before
      after[LogSample.title] = .string("begun")
      let first = before
      let start = try XCTUnwrap(ObjectChange.updated(from: after, to: before))
      var folded = Folded(file: body(start))
      try folded.add(0..<folded.file.count)
      for step in 0..<50 {
        guard case .string(var text) = before[LogSample.title] else { return XCTFail("no text") }
        let place = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &random))
        if Bool.random(using: &random) { text.insert("ü", at: place) } else { text.removeSubrange(place...) }
        after = before
        after[LogSample.title] = .string(text)
        guard let change = ObjectChange.updated(from: before, to: after) else { continue }
        let bytes = body(change, isSpliced: true)
        let file = folded.file
        try bytes.withUnsafeBytes { bytes in
          try file.withUnsafeBytes { file in
            let lent = LentBytes(file: file, copies: .noValue)
            let change = try Change(bytes)
            var fields = change.fields
            guard let (number, field) = try fields.next(), case .splice(let splice) = field else { return }
            let place = folded.fold.begin(change.object, .updated)
            XCTAssertFalse(folded.fold.splice(place, number, splice, lent) { _ in false }, "seed \(seed)")
            XCTAssertTrue(folded.fold.splice(place, number, splice, lent) { $0.isText }, "seed \(seed), step \(step)")
            before = after
          }
        }
        var expected: [AnyObjectID: ObjectChange] = [:]
        var begun = first
        begun[LogSample.title] = .string("begun")
        expected[id] = ObjectChange.updated(from: begun, to: before)
        XCTAssertEqual(try folded.changes(map), expected, "seed \(seed), step \(step)")
      }
    }
  }

  func testAnObjectThatIsThereAgainWithLessHasLostTheRest() throws {
    let object = ObjectAddress(entity: 2, uuid: LogFixture.object(1))
    func whole(_ kind: Change.Kind, _ fields: [(UInt8, UInt8)]) -> [UInt8] {
      var writer = ByteWriter()
      writer.change(kind, object)
      for (number, value) in fields { writer.append([number, ValueTag.int.rawValue, value]) }
      return writer.bytes
    }
    let deleted = whole(.deleted, [(7, 1), (8, 2)])
    var folded = Folded(file: deleted + whole(.inserted, [(7, 1), (9, 3)]))
    try folded.add(0..<deleted.count)
    try folded.add(deleted.count..<folded.file.count)
    folded.lend { fold, bytes in
      XCTAssertEqual(fold.nets.map(\.kind), [.updated])
      XCTAssertEqual(Set(fold.changedNumbers(fold.nets[0], bytes)), [8, 9])
      XCTAssertEqual(fold.text(fold.value(object, 8) ?? ChangeFold.Value(), bytes)?.count, nil)
    }
  }
}
