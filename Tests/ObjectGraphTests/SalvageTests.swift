import Foundation
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseLMDB
@testable import RepriseObjectGraph

/// What a new store has of a damaged one: all that can be had, and a report of the rest.
final class SalvageTests: XCTestCase {
  private var made: [String] = []

  override func tearDown() {
    for path in made { try? FileManager.default.removeItem(atPath: path) }
  }

  private func newPath() -> String {
    made.append(NSTemporaryDirectory() + "reprise-\(UUID().uuidString)")
    return made[made.count - 1]
  }

  /// Six saves: insertions, changes, a long text, deletions.
  private func filled(objects: Int = 40) async throws -> TestStore {
    let test = try TestStore()
    let context = RootContext(test.store, author: "me")
    let people = (0..<5).map { context.insert(Person(name: "p\($0)", zip: $0)) }
    people[1].boss = people[0]
    let items = (0..<objects).map { context.insert(Item(name: "i\($0)", valueInDollars: $0 % 7)) }
    for (number, item) in items.enumerated() { item.owner = number % 3 == 0 ? nil : people[number % 5] }
    try await context.save("Fill")
    for round in 0..<3 {
      for (number, item) in items.enumerated() where number % 4 == round { item.valueInDollars += 100 }
      items[round].name = String(repeating: "long \(round)", count: 1_000)
      try await context.save("Change \(round)")
    }
    for (number, item) in items.enumerated() where number % 5 == 2 { context.delete(item) }
    context.delete(people[3])
    try await context.save("Delete")
    items[0].name = "last"
    context.insert(Item(name: "new"))
    try await context.save("Last")
    return test
  }

  /// Everything that a user could read.
  private func contents(_ store: Store) throws -> [String] {
    let context = RootContext(store)
    let items = try context.fetch(Fetch<Item>()).map { item in
      "\(try store.uri(for: item.id.any)) \(item.name.prefix(9)) \(item.name.count) \(item.valueInDollars) "
        + (item.owner?.name ?? "nobody")
    }
    let people = try context.fetch(Fetch<Person>()).map { "\($0.id) \($0.name) \($0.boss?.name ?? "nobody")" }
    return (items + people).sorted()
  }

  private func contents(at path: String) async throws -> [String] {
    let store = try await Store.open(path, for: Item.self, Person.self)
    let found = try contents(store)
    let report = try await StoreMaintenance.verify(store)
    XCTAssertTrue(report.isSound, report.description)
    try await store.close()
    return found
  }

  private func frame(_ position: Position, _ store: Store) throws -> [UInt8] {
    let transaction = try store.environment.beginRead()
    return try LogTable(store.tables.log).withFrame(position, transaction.view) { [UInt8]($0.bytes) }
  }

  /// Alters every copy of some bytes in the closed file.
  private func alter(_ bytes: some Collection<UInt8>, in path: String, by mask: UInt8 = 0x40) throws {
    let file = URL(fileURLWithPath: path + "/data.mdb")
    var data = try Data(contentsOf: file)
    var found = 0
    var start = data.startIndex
    while let range = data.range(of: Data(bytes), in: start..<data.endIndex) {
      data[range.lowerBound + bytes.count / 2] ^= mask
      start = range.upperBound
      found += 1
    }
    XCTAssertGreaterThan(found, 0, "there is nothing to damage")
    try data.write(to: file)
  }

  func testASoundStoreIsSalvagedWhole() async throws {
    let test = try await filled()
    let expected = try contents(test.store)
    let head = test.store.log.head
    let before = try await StoreMaintenance.verify(test.store)
    try await test.store.close()
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertTrue(report.isComplete, report.description)
    XCTAssertEqual(report.transactions, before.transactions)
    XCTAssertEqual(report.objects, before.objects)
    let found = try await contents(at: path)
    XCTAssertEqual(found, expected)
    let store = try await Store.open(path, for: Item.self, Person.self)
    XCTAssertEqual(store.log.head, head)
    XCTAssertEqual(store.logID, test.store.logID)
    // It goes on as any store.
    let context = RootContext(store)
    context.insert(Item(name: "newer"))
    try await context.save("After")
    let last = try await StoreMaintenance.verify(store)
    XCTAssertTrue(last.isSound, last.description)
    try await store.close()
  }

  // MARK: A log without its beginning

  func testALogWithoutItsBeginningIsSalvagedWhole() async throws {
    for sliceSize in [500_000, 8] {
      for left in [1, 3, 5] {
        let test = try await filled()
        let expected = try contents(test.store)
        let head = try test.store.log.headToken()
        let floor = head.position - (left - 1)
        try await test.store.log.retain(.last(left))
        let past = try names(at: floor - 1, test.store)
        try await test.store.close()
        let path = newPath()
        let report = try StoreMaintenance.salvage(test.path, to: path, sliceSize: sliceSize)
        XCTAssertTrue(report.isComplete, report.description)
        XCTAssertEqual(report.transactions, left)
        let found = try await contents(at: path)
        XCTAssertEqual(found, expected)
        let store = try await Store.open(path, for: Item.self, Person.self)
        XCTAssertEqual(try store.log.firstPosition, floor)
        XCTAssertEqual(try store.log.headToken(), head)
        XCTAssertEqual(try store.log.transaction(at: floor)?.author, "me")
        XCTAssertEqual(try names(at: floor - 1, store), past)
        // It goes on as any store.
        let context = RootContext(store)
        context.insert(Item(name: "newer"))
        try await context.save("After")
        try await store.log.retain(.last(1))
        let last = try await StoreMaintenance.verify(store)
        XCTAssertTrue(last.isSound, last.description)
        try await store.close()
      }
    }
  }

  private func names(at position: Position, _ store: Store) throws -> [String] {
    try store.context(at: position).fetch(Fetch<Item>()).map { "\($0.id) \($0.name.suffix(9)) \($0.valueInDollars)" }
  }

  /// A copy of the floor is on a page that the last commit has freed.
  func testALogWhoseFloorIsDamagedIsSalvagedWhole() async throws {
    let test = try await filled()
    let expected = try contents(test.store)
    try await test.store.log.retain(.last(3))
    let meta = test.store.tables.meta
    try test.store.environment.write { (transaction) throws(StorageError) in
      let (key, value) = (MetaKey.floor, [1, 2, 3] as [UInt8])
      try transaction.put(meta, key: key.span.bytes, value: value.span.bytes)
    }
    await test.store.abandon()
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertTrue(report.isComplete, report.description)
    XCTAssertEqual(report.transactions, 3)
    let found = try await contents(at: path)
    XCTAssertEqual(found, expected)
  }

  /// What is before the gap stays, as far as its objects are known.
  func testAGapBehindTheBeginningCostsNoObject() async throws {
    for sliceSize in [500_000, 8] {
      for position: Position in [3, 5, 7] {
        let test = try await filled()
        let expected = try contents(test.store)
        try await test.store.log.retain(.from(3))
        let frame = try frame(position, test.store)
        let last = test.store.window.head
        try await test.store.close()
        try alter(frame.prefix(36), in: test.path)
        let path = newPath()
        let report = try StoreMaintenance.salvage(test.path, to: path, sliceSize: sliceSize)
        XCTAssertEqual(report.lost, position...last)
        XCTAssertEqual(report.intactTransactionsAfterGap, position.distance(to: last))
        let found = try await contents(at: path)
        XCTAssertEqual(found, expected, "without transaction \(position)")
        let store = try await Store.open(path, for: Item.self, Person.self)
        let first = try store.log.firstPosition
        XCTAssertEqual(first, [3: 3, 5: 5, 7: 4][position])
        XCTAssertEqual(report.transactions, first.distance(to: position))
        XCTAssertEqual(try store.log.transaction(at: position)?.author, "StoreMaintenance.salvage")
        try await store.close()
      }
    }
  }

  /// The floor counts the names from before the old floor, and those of transaction 3, which the new log leaves out.
  func testALostNameFromBeforeTheFloorIsReplaced() async throws {
    let test = try await filled()
    let expected = try contents(test.store)
    try await test.store.log.retain(.from(3))
    let frame = try frame(7, test.store)
    let meta = MetaTable(test.store.tables.meta)
    try test.store.environment.write { (transaction) throws(StorageError) in
      // Instead of "Fill".
      try meta.put(MetaKey.name(1), Array("Change 0".utf8), transaction)
    }
    try await test.store.close()
    try alter(frame.prefix(36), in: test.path)
    // The middle byte belongs to the key, so the row gets another number.
    try alter(MetaKey.name(0) + Array("me".utf8), in: test.path)
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertEqual(
      report.problems,
      [
        """
        The names of authors, contexts and transactions before transaction 3 do not match the checksum that the store \
        recorded for them.
        """,
        "The new log begins after transaction 3, because transactions up to this one change an object that is lost.",
      ])
    let found = try await contents(at: path)
    XCTAssertEqual(found, expected)
    let store = try await Store.open(path, for: Item.self, Person.self)
    let transaction = try store.log.transaction(at: 4)
    XCTAssertEqual(transaction?.author, "lost name 0")
    XCTAssertEqual(transaction?.name, "Change 1")
    let names = try (0..<4).map { number in
      try store.read { (view, _) throws(StorageError) in
        try MetaTable(store.tables.meta).get(MetaKey.name(number), view).map { String(decoding: $0, as: UTF8.self) }
      }
    }
    XCTAssertEqual(names, ["lost name 0", "lost name 1", "Change 0", "Change 1"])
    try await store.close()
  }

  /// Two objects from before the floor. The record of the first one is lost, and the transactions in `changing` change
  /// it.
  private func withoutRecord(changing: Set<Int>) async throws -> (path: String, other: Item.ID) {
    let test = try TestStore()
    let context = RootContext(test.store)
    let (lost, other) = (context.insert(Item(name: "lost")), context.insert(Item(name: "other")))
    try await context.save()
    for position in 3...6 {
      if changing.contains(position) { lost.valueInDollars = position }
      other.valueInDollars = position
      try await context.save()
    }
    try await test.store.log.retain(.from(3))
    let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
    let record = try test.store.read { (view, _) throws(StorageError) in
      try test.store.files.objects.bytes(of: lost.id.any.uuid, map, view)
    }
    try await test.store.close()
    try alter(try XCTUnwrap(record as [UInt8]?), in: test.path)
    let path = newPath()
    try FileManager.default.copyItem(atPath: test.path, toPath: path)
    return (path, other.id)
  }

  func testALostObjectFromBeforeTheFloorIsTold() async throws {
    let leftOut = { (position: Int) in
      "The new log begins after transaction \(position), because transactions up to this one change an object that is "
        + "lost."
    }
    for (changing, first, problem) in [
      (
        [], 3,
        "When `retain` deleted the log before transaction 3, it recorded a checksum of all objects at that point. The "
          + "stored objects, with all later changes reverted, do not match this checksum."
      ),
      ([4], 5, leftOut(4)), ([3, 6], 7, leftOut(6)),
    ] as [(Set<Int>, Position, String)] {
      let (damaged, other) = try await withoutRecord(changing: changing)
      let path = newPath()
      let report = try await StoreMaintenance.salvage(damaged, to: path)
      XCTAssertEqual(report.problems, [problem])
      XCTAssertNil(report.lost)
      XCTAssertEqual(report.transactions, first.distance(to: 7))
      let store = try await Store.open(path, for: Item.self, Person.self)
      XCTAssertEqual(try store.log.firstPosition, first)
      XCTAssertEqual(store.log.head, max(first, 6))
      let verified = try await StoreMaintenance.verify(store)
      XCTAssertTrue(verified.isSound, verified.description)
      XCTAssertEqual(try RootContext(store).fetch(Fetch<Item>()).map(\.id), [other])
      XCTAssertEqual(try RootContext(store).object(other).valueInDollars, 6)
      try await store.close()
    }
  }

  func testATransactionThatIsLostCostsNoObjectWhoseRecordIsThere() async throws {
    for sliceSize in [500_000, 8] {
      for position: Position in [1, 2, 4, 7] {
        let test = try await filled()
        let expected = try contents(test.store)
        let frame = try frame(position, test.store)
        let last = test.store.window.head
        try await test.store.close()
        try alter(frame.prefix(36), in: test.path)
        let path = newPath()
        let report = try StoreMaintenance.salvage(test.path, to: path, sliceSize: sliceSize)
        XCTAssertEqual(report.transactions, Int(position.number) - 1)
        XCTAssertEqual(report.lost, position...last)
        XCTAssertEqual(report.intactTransactionsAfterGap, position.distance(to: last))
        XCTAssertGreaterThan(report.restoredObjects, 0)
        XCTAssertEqual(report.problems, [])
        XCTAssertFalse(report.isComplete)
        let found = try await contents(at: path)
        XCTAssertEqual(found, expected, "without transaction \(position)")
      }
    }
  }

  func testWhatIsKnownOfObjectsBehindAGapIsInATransactionThatSaysSo() async throws {
    let test = try await filled()
    let frame = try frame(4, test.store)
    try await test.store.close()
    try alter(frame.prefix(36), in: test.path)
    let path = newPath()
    try await StoreMaintenance.salvage(test.path, to: path)
    let store = try await Store.open(path, for: Item.self, Person.self)
    let transaction = try store.environment.beginRead()
    let envelope = try LogTable(store.tables.log).withFrame(4, transaction.view) { $0.envelope }
    XCTAssertEqual(envelope.author, .inline("StoreMaintenance.salvage"))
    XCTAssertEqual(envelope.name, .inline("Salvaged instead of transactions 4 to 7"))
  }

  func testALogThatLostItsTailIsNotTakenForAnOlderOne() async throws {
    let test = try await filled()
    let expected = try contents(test.store)
    let last = test.store.window.head
    let table = test.store.tables.log
    let frame = try frame(last, test.store)
    var key = ByteWriter()
    key.fixed(last.number.bigEndian)
    key.fixed(UInt16(0))
    let bytes = key.bytes
    _ = try test.store.environment.write { (transaction) throws(StorageError) in
      try transaction.delete(table, key: bytes.span.bytes)
    }
    try await test.store.close()
    try alter(frame.prefix(36), in: test.path)
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertEqual(report.lost, last...last)
    let found = try await contents(at: path)
    XCTAssertEqual(found, expected)
  }

  func testAnObjectWhoseRecordIsLostTooIsAsTransactionsTellOrMissingWithAWord() async throws {
    let test = try await filled()
    let context = RootContext(test.store)
    let item = try XCTUnwrap(try context.fetch(Fetch<Item> { $0.name == "last" }).first)
    let id = item.id
    item.valueInDollars = 555
    try await context.save("Once more")
    let last = test.store.window.head
    let frame = try frame(last - 1, test.store)
    let map = try XCTUnwrap(test.store.map.map(id.any.name))
    let record = try test.store.read { (view, _) throws(StorageError) in
      try test.store.files.objects.bytes(of: id.any.uuid, map, view)
    }
    try await test.store.close()
    try alter(frame.prefix(36), in: test.path)
    try alter(try XCTUnwrap(record as [UInt8]?), in: test.path)
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertEqual(report.lost, last - 1...last)
    XCTAssertEqual(
      report.problems,
      ["The change of the object \(id.any.uuid) by transaction \(last) is lost, because earlier changes are missing."])
    let found = try await contents(at: path)
    XCTAssertTrue(found.contains { $0.contains("\(id.any.uuid)") }, "what is known of it up to the gap is there")
  }

  /// One object left a unique value to another in a transaction that is lost, and its record is lost as well.
  func testAValueThatTwoSalvagedObjectsHaveIsToldAndTheStoreCanBeMended() async throws {
    let test = try TestStore(Schema(Member.self, Team.self))
    let ids: [Member.ID]
    do {
      let context = RootContext(test.store)
      let first = context.insert(Member("a@x.org"))
      try await context.save()
      first.email = "b@x.org"
      try await context.save()
      let second = context.insert(Member("a@x.org"))
      try await context.save()
      ids = [first.id, second.id]
    }
    let map = try XCTUnwrap(test.store.map.map(Member.entity.interned))
    let record = try test.store.read { (view, _) throws(StorageError) in
      try test.store.files.objects.bytes(of: ids[0].any.uuid, map, view)
    }
    let frame = try frame(3, test.store)
    try await test.store.close()
    try alter(frame.prefix(36), in: test.path)
    try alter(try XCTUnwrap(record as [UInt8]?), in: test.path)
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    let beginning = "The new store lacks a rule that an object breaks: "
    XCTAssertTrue(
      report.problems.contains { $0.hasPrefix(beginning) && $0.contains("has email \"a@x.org\", and so has") },
      report.description)
    do {
      _ = try await Store.open(path, for: Member.self, Team.self)
      XCTFail("it was opened")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(violations.count, 1)
      XCTAssertEqual(violations.first?.values, [.string("a@x.org")])
    }
    let store = try await Store.open(path, for: LoneMember.self, LoneTeam.self)
    let sound = try await StoreMaintenance.verify(store)
    XCTAssertEqual(sound.problems, [])
    let context = RootContext(store)
    XCTAssertEqual(try context.count(Fetch<LoneMember>()), 2)
    context.deleteReachable(AnyObjectID(LoneMember.entity.interned, ids[0].any.uuid))
    try await context.save()
    try await store.close()
    let mended = try await Store.open(path, for: Member.self, Team.self)
    let last = try await StoreMaintenance.verify(mended)
    XCTAssertEqual(last.problems, [])
    try await mended.close()
  }

  func testAKeyThatNamesAPositionFarBehindAllOthersKeepsNobodyForEver() async throws {
    for (position, size) in [(UInt64(1) << 60, 1_960), (.max, 10), (1 << 40, 1_960)] {
      let test = try await filled()
      let expected = try contents(test.store)
      var key = ByteWriter()
      key.fixed(position.bigEndian)
      key.fixed(UInt16(0))
      let (bytes, value) = (key.bytes, [UInt8](repeating: 5, count: size))
      let table = test.store.tables.log
      try test.store.environment.write { (transaction) throws(StorageError) in
        try transaction.put(table, key: bytes.span.bytes, value: value.span.bytes)
      }
      let verified = try StoreMaintenance.verifyNow(test.store)
      XCTAssertTrue(verified.description.contains("The log goes on to transaction \(position)"), "\(verified)")
      try await test.store.close()
      XCTAssertThrowsError(try test.open())
      let path = newPath()
      let report = try await StoreMaintenance.salvage(test.path, to: path)
      XCTAssertTrue(report.isComplete, report.description)
      let found = try await contents(at: path)
      XCTAssertEqual(found, expected)
    }
  }

  /// The pages of a commit are written before the meta page that makes it count.
  func testWhatAnInterruptedCommitLeftOnFreePagesIsNotTakenForASave() async throws {
    let test = try await filled()
    let expected = try contents(test.store)
    try await test.store.close()
    let file = URL(fileURLWithPath: test.path + "/data.mdb")
    let before = try Data(contentsOf: file)
    try test.open()
    let context = RootContext(test.store)
    context.insert(Item(name: "never"))
    try await context.save("Interrupted")
    try await test.store.close()
    let after = try Data(contentsOf: file)
    try (before.prefix(8192) + after.dropFirst(8192)).write(to: file)
    let sound = try await StoreMaintenance.check(test.path)
    XCTAssertTrue(sound.isSound, sound.description)
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertTrue(report.isComplete, report.description)
    let found = try await contents(at: path)
    XCTAssertEqual(found, expected)
  }

  /// All pages of the commit before the last one are there.
  func testAFileThatWasCutIsNotSalvagedAsAWholeOne() async throws {
    let test = try await filled()
    let file = URL(fileURLWithPath: test.path + "/data.mdb")
    let before = try Data(contentsOf: file).count
    let context = RootContext(test.store)
    for number in 0..<50 { context.insert(Item(name: String(repeating: "the last \(number)", count: 200))) }
    try await context.save("Longer")
    try await test.store.close()
    let bytes = try Data(contentsOf: file)
    XCTAssertGreaterThan(bytes.count, before + 8 * 4096)
    for size in [before, before + 4096, (before + bytes.count) / 8192 * 4096] {
      try bytes.prefix(size).write(to: file)
      let report = try await StoreMaintenance.salvage(test.path, to: newPath())
      XCTAssertFalse(report.isComplete)
      XCTAssertTrue(
        report.problems.contains { $0.hasPrefix("The file was cut: it has \(size) bytes") }, report.description)
    }
    try bytes.write(to: file)
    let whole = try await StoreMaintenance.salvage(test.path, to: newPath())
    XCTAssertTrue(whole.isComplete, whole.description)
  }

  func testTheLastSaveIsThereThoughItsMetaPageIsDamaged() async throws {
    for page in 0..<2 {
      let test = try await filled()
      let expected = try contents(test.store)
      try await test.store.close()
      let file = URL(fileURLWithPath: test.path + "/data.mdb")
      var data = try Data(contentsOf: file)
      data.resetBytes(in: page * 4096..<(page + 1) * 4096)
      try data.write(to: file)
      let path = newPath()
      let report = try await StoreMaintenance.salvage(test.path, to: path)
      XCTAssertNil(report.lost)
      XCTAssertEqual(report.problems.count, 1, "it is said that this is not certain")
      let found = try await contents(at: path)
      XCTAssertEqual(found, expected, "without meta page \(page)")
    }
  }

  func testANameOfTheLogWithADamagedByteIsFoundByItsHashes() async throws {
    let test = try await filled()
    let expected = try contents(test.store)
    let logID = test.store.logID
    try await test.store.close()
    for file in (try? FileManager.default.contentsOfDirectory(atPath: test.path + "/journals")) ?? [] {
      try FileManager.default.removeItem(atPath: test.path + "/journals/" + file)
    }
    try alter(MetaTable.bytes(logID), in: test.path)
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertTrue(report.isComplete, report.description)
    let found = try await contents(at: path)
    XCTAssertEqual(found, expected)
  }

  func testSalvageLeavesOutAJournalThatOthersMayWrite() async throws {
    let test = try await filled()
    let editor = try RootContext(test.store).makeChild(draft: "editor")
    editor.insert(Item(name: "typed"))
    try test.store.journal.write()
    await test.store.abandon()
    try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: test.onlyJournal().path)
    let report = try await StoreMaintenance.salvage(test.path, to: newPath())
    XCTAssertEqual(report.journals, 0)
    XCTAssertEqual(report.problems.count, 1)
    XCTAssertTrue(report.problems.first?.contains("chmod go-w") ?? false, report.description)
  }

  func testDraftsComeAlongCheckpointedOrNot() async throws {
    for isClosed in [false, true] {
      let test = try await filled()
      let context = RootContext(test.store)
      let id = try XCTUnwrap(try context.fetch(Fetch<Item> { $0.name == "last" }).first).id
      let editor = try context.makeChild(draft: "editor")
      try editor.object(id).name = "typed"
      if isClosed {
        try await test.store.close()
      } else {
        _ = try test.store.journal.write()
        await test.store.abandon()
      }
      let path = newPath()
      let report = try await StoreMaintenance.salvage(test.path, to: path)
      XCTAssertTrue(report.isComplete, report.description)
      XCTAssertGreaterThan(report.draftRows + report.journals, 0)
      let store = try await Store.open(path, for: Item.self, Person.self)
      let again = try RootContext(store).makeChild(draft: "editor")
      XCTAssertEqual(try again.object(id).name, "typed")
      try await store.close()
    }
  }

  /// Flips a byte of an entry of the table `meta`.
  /// Damages facts in the last two commits: salvage also looks into the one before the last.
  private func damage(_ keys: [UInt8]..., in store: Store) throws {
    let meta = MetaTable(store.tables.meta)
    for mask: UInt8 in [1, 2] {
      try store.environment.write { (transaction) throws(StorageError) in
        for key in keys {
          var value = try meta.get(key, transaction.view) ?? []
          value[value.count / 2] ^= mask
          try meta.put(key, value, transaction)
        }
      }
    }
  }

  func testADamagedSchemaIsTakenFromTheBeginningOfALogThatWasDropped() async throws {
    let test = try await filled()
    _ = try await test.store.log.retain(.last(2))
    let context = RootContext(test.store)
    context.insert(Item(name: "after"))
    try await context.save()
    let expected = try contents(test.store)
    try damage(MetaKey.schema, in: test.store)
    try await test.store.close()
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertEqual(report.problems, [])
    // In this order, the models would be given each other's numbers.
    let store = try await Store.open(path, for: Person.self, Item.self)
    XCTAssertEqual(try contents(store), expected)
    let verified = try await StoreMaintenance.verify(store)
    XCTAssertEqual(verified.problems, [])
    try await store.close()
  }

  /// Dropped transactions are left on free pages in part: with insertions, and without the deletions after them.
  func testDroppedTransactionsOnFreePagesBringNothingBack() async throws {
    for (later, size) in (0..<12).flatMap({ later in [20, 200].map { (later, $0) } }) {
      let test = try TestStore()
      let context = RootContext(test.store)
      func add(_ name: String) async throws -> Item {
        let item = context.insert(Item(name: String(repeating: name, count: size)))
        try await context.save()
        return item
      }
      var items: [Item] = []
      for number in 0..<20 { items.append(try await add("note \(number) ")) }
      for item in items[3..<12] {
        context.delete(item)
        try await context.save()
      }
      for number in 20..<24 { _ = try await add("\(number)") }
      _ = try await test.store.log.retain(.last(2))
      for number in 0..<later { _ = try await add("later \(number) ") }
      let expected = try contents(test.store)
      try await test.store.close()
      let path = newPath()
      try await StoreMaintenance.salvage(test.path, to: path)
      let found = try await contents(at: path)
      XCTAssertEqual(found, expected, "\(later) saves of size \(size)")
    }
  }

  func testWithoutAnySchemaThereIsNothingToSalvage() async throws {
    let test = try await filled()
    _ = try await test.store.log.retain(.last(2))
    let schema = test.store.map.stored.encoded()
    try await test.store.close()
    // Otherwise free pages still have the dropped transactions, and these have the schema.
    try await StoreMaintenance.compact(test.path)
    // The floor contains the same bytes.
    try alter(schema, in: test.path)
    let path = newPath()
    do {
      let report = try await StoreMaintenance.salvage(test.path, to: path)
      XCTFail("salvaged without names: \(report)")
    } catch {
      guard case StoreError.damaged(test.path, "no transaction and no schema can be read") = error else {
        return XCTFail("\(error)")
      }
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
  }

  func testNumbersOfALostSchemaChangeAreNotGivenToOtherModels() async throws {
    let test = try await filled()
    let expected = try contents(test.store)
    let change = test.store.log.head + 1
    try test.store.extendSchemaAsAnotherProcess(Schema(Item.self, Person.self, Meeting.self))
    try await test.store.close()
    test.schema = Schema(Item.self, Person.self, Meeting.self)
    try test.open()
    let context = RootContext(test.store)
    let meeting = context.insert(Meeting(nil, name: "a meeting"))
    let draft = try context.makeChild(draft: "editor")
    try await context.save()
    try draft.object(meeting.id).name = "typed"
    let old = try XCTUnwrap(test.store.map.map(Meeting.entity.interned))
    let frame = try frame(change, test.store)
    let schema = test.store.map.stored.encoded()
    try await test.store.close()
    for bytes in [Array(frame.prefix(36)), schema] { try alter(bytes, in: test.path) }
    let path = newPath()
    let report = try await StoreMaintenance.salvage(test.path, to: path)
    XCTAssertEqual(report.lost?.lowerBound, change)
    XCTAssertEqual(report.problems.count, 1)
    XCTAssertTrue(report.problems.first?.hasPrefix("Changes of the schema are lost") ?? false, report.description)
    let store = try await Store.open(path, for: Item.self, Person.self, Team.self, Member.self)
    XCTAssertEqual(try contents(store), expected)
    XCTAssertEqual(try RootContext(store).count(Fetch<Team>()), 0)
    for entity in [Team.entity, Member.entity] {
      let new = try XCTUnwrap(store.map.map(entity.interned))
      XCTAssertGreaterThan(new.number, old.number)
      // A to-many has no number: 0.
      let given = new.numbers.filter { $0 > 0 }
      XCTAssertGreaterThan(given.min() ?? 0, old.numbers.max() ?? 0)
    }
    let verified = try await StoreMaintenance.verify(store)
    XCTAssertEqual(verified.problems, [])
    try await store.close()
  }

  func testVerifyFindsNumbersThatWereGivenAnew() async throws {
    let test = try TestStore()
    let store = test.store
    let models = Schema(Item.self, Person.self, Meeting.self)
    var stored = try SchemaReconciliation(ResolvedSchema(models), store.map.stored).schema
    stored.revision = store.map.stored.revision
    let map = SchemaMap(try ResolvedSchema(models), stored)
    let meeting = AnyObjectID(Meeting.entity.interned, UniqueID())
    let request = SaveRequest(base: store.log.head, changes: [(meeting, .inserted(Meeting.entity.defaults))])
    try store.environment.write { transaction in
      var appender = try TransactionAppender(store.tables, logID: store.logID, map: map, transaction.view)
      _ = try appender.append(SavePlan(request, appender.map, store.tables, transaction.view), request, transaction)
      try appender.finish(transaction)
    }
    let unknown = try StoreMaintenance.verifyNow(store)
    XCTAssertTrue(unknown.description.contains("which does not exist"), unknown.description)
    try store.extendSchemaAsAnotherProcess(models)
    let known = try StoreMaintenance.verifyNow(store)
    XCTAssertTrue(
      known.description.contains("the entity with the number 3, which only transaction 3 declares, a later one"),
      known.description)
  }

  func testNothingIsSalvagedToWhereSomethingIsAndNothingIsLeftOfAFailure() async throws {
    let test = try await filled()
    try await test.store.close()
    let other = try TestStore()
    try await other.store.close()
    do {
      try await StoreMaintenance.salvage(test.path, to: other.path)
      XCTFail("salvaged over a store")
    } catch {
      guard case StoreError.notAStore(other.path, _) = error else { return XCTFail("\(error)") }
    }
    // A file with pages, and nothing on them.
    let file = URL(fileURLWithPath: test.path + "/data.mdb")
    var data = try Data(contentsOf: file)
    data.resetBytes(in: 8192..<data.count)
    try data.write(to: file)
    let path = newPath()
    do {
      try await StoreMaintenance.salvage(test.path, to: path)
      XCTFail("salvaged nothing")
    } catch {
      guard case StoreError.damaged(test.path, "the ID of the log is lost, so no transaction can be verified") = error
      else {
        return XCTFail("\(error)")
      }
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
  }
}
