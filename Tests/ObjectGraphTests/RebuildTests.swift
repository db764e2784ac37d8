import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseLMDB

final class RebuildTests: XCTestCase {
  /// Objects that were inserted, changed, deleted and inserted again, with owners, bosses and a long text.
  private func fill(_ store: Store, objects: Int = 40) async throws {
    let context = RootContext(store, author: "me")
    let people = (0..<5).map { context.insert(Person(name: "p\($0)", zip: $0)) }
    people[1].boss = people[0]
    people[2].boss = people[2]
    let items = (0..<objects).map { context.insert(Item(name: "i\($0)", valueInDollars: $0 % 7)) }
    for (number, item) in items.enumerated() { item.owner = number % 3 == 0 ? nil : people[number % 5] }
    try await context.save("Fill")
    for (number, item) in items.enumerated() where number % 4 == 0 { item.valueInDollars += 100 }
    items[1].name = String(repeating: "long ", count: 2_000)
    try await context.save("Change")
    for (number, item) in items.enumerated() where number % 5 == 2 { context.delete(item) }
    context.delete(people[3])
    try await context.save("Delete")
  }

  private func rows(_ store: Store, _ table: Table) throws -> [[UInt8]] {
    try store.environment.read { (transaction) throws(StorageError) in
      var rows: [[UInt8]] = []
      var cursor = try transaction.view.cursor(table)
      var entry = try cursor.first()
      while let row = entry {
        rows.append(row.key.withUnsafeBytes { [UInt8]($0) } + [0xFF] + row.value.withUnsafeBytes { [UInt8]($0) })
        entry = try cursor.next()
      }
      return rows
    }
  }

  private func put(_ key: [UInt8], _ value: [UInt8], _ table: Table, _ store: Store) throws {
    try store.environment.write { (transaction) throws(StorageError) in
      try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
    }
  }

  func testAHeadThatLostItsRowsIsAgainWhatTheLogSays() async throws {
    for sliceSize in [500_000, 256] {
      let test = try TestStore()
      try await fill(test.store, objects: sliceSize > 1_000 ? 40 : 2_000)
      let objects = try rows(test.store, test.store.tables.objects)
      let meta = try rows(test.store, test.store.tables.meta)
      let before = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(before.isSound, before.description)
      let tables = test.store.tables
      try test.store.environment.write { (transaction) throws(StorageError) in
        try transaction.removeAll(tables.indexes)
        for row in objects.prefix(20) {
          let key = [UInt8](row.prefix(20))
          try transaction.delete(tables.objects, key: key.span.bytes)
        }
      }
      try put([1, 2, 3], [], tables.indexes, test.store)
      try put([UInt8](repeating: 7, count: 20), [1], tables.objects, test.store)
      try put(MetaKey.count(1), MetaTable.bytes(UInt64(7)), tables.meta, test.store)
      try put(MetaKey.name(1), [65], tables.meta, test.store)
      try put(MetaKey.schema, [65], tables.meta, test.store)
      try await test.store.close()
      XCTAssertThrowsError(try test.open())

      let report = try StoreMaintenance.rebuild(test.path, sliceSize: sliceSize)
      try test.open()
      let after = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(after.isSound, after.description)
      XCTAssertEqual(try rows(test.store, test.store.tables.objects), objects)
      XCTAssertEqual(try rows(test.store, test.store.tables.meta), meta)
      XCTAssertEqual(report.transactions, before.transactions)
      XCTAssertEqual(report.events, before.events)
      XCTAssertEqual(report.objects, before.objects)
      XCTAssertEqual(report.indexRows, before.indexRows)

      // It goes on as any store.
      let context = RootContext(test.store)
      context.insert(Item(name: "new"))
      try await context.save("After")
      let last = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(last.isSound, last.description)
    }
  }

  /// As when a bit flips in a key of the table `meta`: its entry is there under a name that nobody asks for.
  func testAnEntryThatLostItsNameIsNotTakenForOneThatWasNeverMade() async throws {
    let test = try TestStore()
    try await fill(test.store)
    let meta = try rows(test.store, test.store.tables.meta)
    let names = [
      MetaKey.schema, MetaKey.history, MetaKey.head, MetaKey.order, MetaKey.replica, MetaKey.nameCount, MetaKey.name(0),
      MetaKey.count(1),
    ]
    for name in names {
      let table = test.store.tables.meta
      let value = try XCTUnwrap(
        try test.store.environment.read { (transaction) throws(StorageError) in
          try MetaTable(table).get(name, transaction.view)
        })
      var flipped = name
      flipped[flipped.count - 2] ^= 0x67
      try test.store.environment.write { (transaction) throws(StorageError) in
        try transaction.delete(table, key: name.span.bytes)
        try transaction.put(table, key: flipped.span.bytes, value: value.span.bytes)
      }
      try await test.store.close()
      if (try? test.open()) != nil {
        let report = try await StoreMaintenance.verify(test.store)
        XCTAssertTrue(report.problems.contains { $0.contains(", which nothing reads") }, "\(name): \(report)")
        try await test.store.close()
      }
      try await StoreMaintenance.rebuild(test.path)
      try test.open()
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, "\(name): \(report)")
      XCTAssertEqual(try rows(test.store, test.store.tables.meta), meta, "\(name)")
    }
  }

  func testADamagedCountOfNamesGivesNoNumberTwiceAndLeavesNoneOut() async throws {
    for count in [0, 1, 9, 3_590] as [UInt32] {
      let test = try TestStore()
      try await fill(test.store)
      try put(MetaKey.nameCount, MetaTable.bytes(count), test.store.tables.meta, test.store)
      let context = RootContext(test.store, author: "somebody new")
      context.insert(Person(name: "new", zip: 9))
      do {
        try await context.save("A name of its own")
        XCTFail("saved with \(count) names")
      } catch {
        XCTAssertTrue("\(error)".contains("names than the \(count) that it counts"), "\(error)")
      }
      XCTAssertTrue(context.hasChanges)
      let damaged = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(damaged.problems.contains { $0.contains("names") }, "\(count): \(damaged)")
      try await test.store.close()
      try await StoreMaintenance.rebuild(test.path)
      try test.open()
      let again = RootContext(test.store, author: "somebody new")
      again.insert(Person(name: "new", zip: 9))
      try await again.save("A name of its own")
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, "\(count): \(report)")
    }
  }

  func testADamagedLogIsNotRebuiltFromAndNothingChanges() async throws {
    let test = try TestStore()
    try await fill(test.store)
    let tables = test.store.tables
    let objects = try rows(test.store, tables.objects)
    let position = Position(2)
    let whole = try test.store.read { (view, _) throws(StorageError) in
      try test.store.files.log.withBytes(position, view) { [UInt8]($0) }
    }
    // The hash of another transaction, under a right checksum.
    var other = ByteWriter.sealing(reserving: whole.count)
    other.append(whole[4..<5] + [whole[5] ^ 1] + whole[6...])
    for (frame, expected) in [
      ([1, 2, 3], "a checksum"), (other.sealed(), "a hash that matches this transaction and the previous one"),
    ] as [([UInt8], String)] {
      try test.store.environment.write { (transaction) throws(StorageError) in
        let key = CollectionOfOne(position.number.bigEndian)
        let rows = ChunkedRows(test.store.tables.log, numbersFirst: true)
        try rows.put(transaction, key: key.span.bytes, value: frame, replacing: whole.count)
      }
      try await test.store.close()
      do {
        try await StoreMaintenance.rebuild(test.path)
        XCTFail("rebuilt from a damaged log")
      } catch {
        guard case StoreError.damaged(test.path, let reason) = error else { return XCTFail("\(error)") }
        XCTAssertEqual(reason, "transaction 2 of the log: expected \(expected) at byte 0")
      }
      try test.open()
      XCTAssertEqual(try rows(test.store, test.store.tables.objects), objects)
    }
  }

  /// Takes the last transaction out of the log, and of all else nothing.
  private func cutLog(_ store: Store, _ others: [(table: Table, key: [UInt8])] = []) throws {
    let log = store.tables.log
    let last = try XCTUnwrap(try rows(store, log).last).prefix(8)
    for row in try rows(store, log) where row.starts(with: last) {
      let key = [UInt8](row.prefix(10))
      try store.environment.write { (transaction) throws(StorageError) in
        try transaction.delete(log, key: key.span.bytes)
        for other in others { try transaction.delete(other.table, key: other.key.span.bytes) }
      }
    }
  }

  func testALogThatLostItsTailIsNotRebuiltFromUnlessTheLossIsAccepted() async throws {
    for knowsItsHead in [true, false] {
      let test = try TestStore()
      try await fill(test.store)
      let head = test.store.log.head
      let objects = try rows(test.store, test.store.tables.objects)
      // If damage took that, the records say where the log ends.
      let fact = (test.store.tables.meta, MetaKey.head)
      try cutLog(test.store, knowsItsHead ? [] : [fact])
      try await test.store.close()
      do {
        try await StoreMaintenance.rebuild(test.path)
        XCTFail("rebuilt an older state")
      } catch {
        guard case StoreError.transactionsLost(test.path, head - 1, head) = error else { return XCTFail("\(error)") }
      }
      let report = try await StoreMaintenance.rebuild(test.path, acceptingLoss: true)
      XCTAssertEqual(report.lostTransactions, 1)
      XCTAssertEqual(report.transactions, Int(head.number) - 1)
      try test.open()
      XCTAssertNotEqual(try rows(test.store, test.store.tables.objects), objects)
      let verified = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(verified.isSound, verified.description)
      let context = RootContext(test.store)
      context.insert(Item(name: "new"))
      try await context.save("After")
      XCTAssertEqual(test.store.log.head, head)
    }
  }

  func testALogWithoutItsFirstTransactionIsNamed() async throws {
    let test = try TestStore()
    try await fill(test.store)
    let log = test.store.tables.log
    let first = [UInt8](try XCTUnwrap(try rows(test.store, log).first).prefix(10))
    try test.store.environment.write { (transaction) throws(StorageError) in
      _ = try transaction.delete(log, key: first.span.bytes)
    }
    let problems = try StoreMaintenance.verifyNow(test.store).problems
    let text =
      "Transaction 1 cannot be read: transaction 1 of the log is missing, and the log begins with transaction 2."
    XCTAssertTrue(problems.contains(text), "\(problems)")
  }

  func testAStoreWhoseLogLostItsTailIsNeitherOpenedNorSavedInto() async throws {
    let test = try TestStore()
    try await fill(test.store)
    let head = test.store.log.head
    let context = RootContext(test.store)
    try cutLog(test.store)
    context.insert(Item(name: "lost"))
    do {
      try await context.save("Into a log that lost its tail")
      XCTFail("saved")
    } catch {
      guard case SaveError.store(.transactionsLost(test.path, head - 1, head)) = error else {
        return XCTFail("\(error)")
      }
    }
    let report = try StoreMaintenance.verifyNow(test.store)
    XCTAssertTrue(report.problems.contains { $0.contains("ends with transaction \(head - 1)") }, report.description)
    try await test.store.close()
    XCTAssertThrowsError(try test.open()) { error in
      guard case StoreError.transactionsLost(test.path, head - 1, head) = error else { return XCTFail("\(error)") }
    }
  }

  func testAnotherLastTransactionThanTheOneThatWasSavedIsFound() async throws {
    let test = try TestStore()
    try await fill(test.store)
    let meta = MetaTable(test.store.tables.meta)
    let head = try test.store.environment.read { (transaction) throws(StorageError) in try meta.head(transaction.view) }
    let other = LogEnd(position: head.position, hash: .zero, greatestID: head.greatestID)
    try put(MetaKey.head, other.encoded(), test.store.tables.meta, test.store)
    let report = try StoreMaintenance.verifyNow(test.store)
    XCTAssertEqual(report.problems.count, 1, report.description)
    let context = RootContext(test.store)
    context.insert(Item(name: "lost"))
    do {
      try await context.save("On another transaction")
      XCTFail("saved")
    } catch {
      guard case SaveError.store(.damaged) = error else { return XCTFail("\(error)") }
    }
  }

  func testALogThatGoesOnBehindTheLastSaveIsNeitherOpenedNorSavedInto() async throws {
    let test = try TestStore()
    let meta = MetaTable(test.store.tables.meta)
    let head = try test.store.environment.read { (transaction) throws(StorageError) in try meta.head(transaction.view) }
    try await fill(test.store)
    try put(MetaKey.head, head.encoded(), test.store.tables.meta, test.store)
    XCTAssertFalse(try StoreMaintenance.verifyNow(test.store).isSound)
    let context = RootContext(test.store)
    context.insert(Item(name: "lost"))
    do {
      try await context.save("On a log that goes on")
      XCTFail("saved")
    } catch {
      guard case SaveError.store(.damaged) = error else { return XCTFail("\(error)") }
    }
    try await test.store.close()
    XCTAssertThrowsError(try test.open())
    // The log is sound, and proves itself.
    try await StoreMaintenance.rebuild(test.path)
    try test.open()
    let report = try StoreMaintenance.verifyNow(test.store)
    XCTAssertTrue(report.isSound, report.description)
  }

  func testALogThatWasPutBackOrChangedDoesNotPassAgainstAHashThatWasKept() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    context.insert(Item(name: "old"))
    try await context.save("Old")
    let copy = test.path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: test.path, toPath: copy)
    let early = try test.store.log.headToken()
    try await fill(test.store)
    let late = try test.store.log.headToken()
    XCTAssertEqual(late.position, test.store.log.head)
    for kept in [early, late] {
      XCTAssertEqual(LogToken(kept.description), kept)
      let decoded = try JSONDecoder().decode([LogToken].self, from: JSONEncoder().encode([kept]))
      XCTAssertEqual(decoded, [kept])
      let report = try await StoreMaintenance.verify(test.store, against: kept)
      XCTAssertTrue(report.isSound, report.description)
    }
    let parts = late.description.split(separator: ":")
    for text in [
      "", "::", "a:1:b", late.description + "0", late.description + ":", "x" + late.description,
      late.description.uppercased(), "\(parts[0]):0\(parts[1]):\(parts[2])", "\(parts[0]):+\(parts[1]):\(parts[2])",
    ] {
      XCTAssertNil(LogToken(text), text)
    }

    // A store that was put back is sound by itself, and goes on as another than it was.
    let old = try Store.openNow(copy, for: test.schema, StoreOptions())
    let before = try await StoreMaintenance.verify(old, against: early)
    XCTAssertTrue(before.isSound, before.description)
    let behind = try await StoreMaintenance.verify(old, against: late)
    XCTAssertEqual(behind.problems.count, 1, behind.description)
    try await fill(old)
    let alone = try await StoreMaintenance.verify(old)
    XCTAssertTrue(alone.isSound, alone.description)
    let other = try await StoreMaintenance.verify(old, against: late)
    XCTAssertEqual(
      other.problems,
      [
        "Transaction \(late.position) does not have the hash that you passed. The log was changed or replaced since "
          + "then, for example by an older backup. Compare the store with your last backup."
      ], other.description)
    try await old.close()

    let stranger = try TestStore()
    let foreign = try await StoreMaintenance.verify(stranger.store, against: early)
    XCTAssertTrue(foreign.problems.contains { $0.contains("of another log") }, foreign.description)
  }

  func testAnOpenStoreIsNotRebuilt() async throws {
    let test = try TestStore()
    do {
      try await StoreMaintenance.rebuild(test.path)
      XCTFail("rebuilt while it was open")
    } catch {
      XCTAssertEqual("\(error)", "\(test.path) is open in this process. Close that store first.")
    }
  }

  func testWhatIsNoStoreIsNotRebuiltAndNotMadeOne() async throws {
    let path = NSTemporaryDirectory() + "reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for make in [false, true] {
      if make { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
      do {
        try await StoreMaintenance.rebuild(path)
        XCTFail("rebuilt nothing")
      } catch {
        switch error {
        case StoreError.notFound(path): XCTAssertFalse(make)
        case StoreError.notAStore(path, _): XCTAssertTrue(make)
        default: XCTFail("\(error)")
        }
      }
      XCTAssertEqual((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [], [])
    }
  }
}
