import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

/// How many items each person has: a count that other rows of the log give.
private struct ItemsByOwner: LogProjection {
  var name = "items by owner"
  var version = 1
  var keepsHistory = false
  var filter: TransactionFilter { TransactionFilter(entities: ["Item"]) }
  /// What a later version does otherwise.
  var step = 1

  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
    for change in transaction.changes {
      guard case .value(let from, let to) = change["owner"] else { continue }
      if from.reference != nil { rows[number: [from]] -= step }
      if to.reference != nil { rows[number: [to]] += step }
    }
  }
}

/// What is still to be sent elsewhere, and goes when a save says that it was.
private struct Outbox: LogProjection {
  let name = "outbox"
  let version = 1

  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
    if let sent = transaction.metadata["sent"].flatMap({ Int64($0) }) {
      for row in rows.rows(limit: .max) {
        if case .int(let position) = row.key[0], position <= sent { rows[row.key] = nil }
      }
    } else if let name = transaction.name {
      rows[[.int(Int64(transaction.position.number))]] = [.string(name)]
    }
  }
}

private struct Refused: LogProjection {
  let name = "refused"
  var version = 1
  struct Reason: Error {}

  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) throws {
    if transaction.name == "bad", version == 1 { throw Reason() }
    rows[number: [.string("all")]] += 1
  }
}

private struct RowForEach: LogProjection {
  let name = "each"
  var version = 1

  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
    for id in transaction.inserted { rows[number: [.string("\(id)")]] += 1 }
  }
}

private struct LongKey: LogProjection {
  let name = "long key"
  let version = 1
  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
    if transaction.name == "long" { rows[[.string(String(repeating: "x", count: 500))]] = [] }
  }
}

/// Rows that follow from the log never say anything else.
final class ProjectionTests: XCTestCase {
  func testRowsAreThereWithTheSaveAndAfterAKill() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    XCTAssertThrowsError(try context.number(of: ItemsByOwner(), at: [.null])) { error in
      XCTAssertEqual(error as? ProjectionError, .notInstalled(name: "items by owner"))
    }
    let ada = context.insert(Person(name: "Ada"))
    context.insert(Item(name: "Chair")).owner = ada
    try await context.save()
    try await opened.store.log.install(ItemsByOwner())
    try await opened.store.log.waitForProjections()
    let key = [PropertyValue.reference(ada.id.any)]
    XCTAssertEqual(try context.number(of: ItemsByOwner(), at: key), 1)
    let table = context.insert(Item(name: "Table"))
    table.owner = ada
    XCTAssertEqual(try context.number(of: ItemsByOwner(), at: key), 1)
    try await context.save()
    // Nothing was taken up by the read: the save has written it.
    XCTAssertEqual(try opened.projectionPosition("items by owner"), opened.store.log.head)
    try await opened.kill()
    try await opened.store.log.install(ItemsByOwner())
    let reader = RootContext(opened.store, isolation: nil)
    XCTAssertEqual(try reader.number(of: ItemsByOwner(), at: key), 2)
    XCTAssertEqual(
      try reader.rows(of: ItemsByOwner()).map { "\($0.key) \($0.value)" }, ["\(key) \([PropertyValue.int(2)])"])
    reader.delete(try reader.object(ada.id))
    try await reader.save()
    XCTAssertEqual(try reader.rows(of: ItemsByOwner()), [])
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  /// Whoever saves, with the projection or without it, and whatever is killed: the rows are those of a plain count, at
  /// the head and, if they are kept, at every position.
  func testWhateverHappensTheRowsAreWhatThePlainCountSays() async throws {
    for seed in testSeeds(4) {
      var random = SeededGenerator(seed: seed)
      let opened = try TestStore()
      var kept = ItemsByOwner(name: "kept", keepsHistory: true)
      var plain = ItemsByOwner()
      try await opened.store.log.install(kept)
      try await opened.store.log.install(plain)
      var context = RootContext(opened.store, isolation: nil)
      var counts: [Position: [AnyObjectID: Int]] = [opened.store.log.head: [:]]
      for step in 0..<60 {
        let message = "seed \(seed), step \(step)"
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
          try await opened.kill()
          context = RootContext(opened.store, isolation: nil)
          try await opened.store.log.install(kept)
          try await opened.store.log.install(plain)
        case 1:
          plain = ItemsByOwner(version: plain.version + 1)
          kept = ItemsByOwner(name: "kept", version: kept.version + 1, keepsHistory: true)
          try await opened.store.log.install(plain)
          try await opened.store.log.install(kept)
          if Bool.random(using: &random) { try await opened.store.log.waitForProjections() }
        case 2...3:
          let people = try context.fetch(Fetch<Person>())
          var values = Item.entity.defaults
          if let slot = Item.entity.slot(named: "owner"), let person = people.randomElement(using: &random) {
            values[slot] = .reference(person.id.any)
          }
          let id = AnyObjectID(Item.entity.interned, UniqueID())
          try opened.store.appendAsAnotherProcess([(id, .inserted(values))])
          try context.refresh()
        default:
          try edit(context, &random)
          try await context.save()
        }
        counts[opened.store.log.head] = try count(context)
        try await opened.store.log.waitForProjections()
        XCTAssertEqual(try read(plain, context), try count(context), message)
        XCTAssertEqual(try read(kept, context), try count(context), message)
        if testRun?.failureCount ?? 0 > 0 { return }
      }
      for (position, expected) in counts {
        let past = try opened.store.context(at: position)
        XCTAssertEqual(try read(kept, past), expected, "at \(position), seed \(seed)")
        XCTAssertThrowsError(try read(plain, past)) { error in
          XCTAssertEqual(error as? ProjectionError, .headOnly(name: plain.name))
        }
      }
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [], "seed \(seed)")
    }
  }

  private func read(_ projection: ItemsByOwner, _ context: ObjectContext) throws -> [AnyObjectID: Int] {
    var found: [AnyObjectID: Int] = [:]
    var last: [PropertyValue]?
    while true {
      let page = try context.rows(of: projection, after: last, limit: 2)
      for row in page {
        if let id = row.key[0].reference { found[id] = try context.number(of: projection, at: row.key) }
      }
      last = page.last?.key
      if page.count < 2 { return found }
    }
  }

  private func count(_ context: RootContext) throws -> [AnyObjectID: Int] {
    var counts: [AnyObjectID: Int] = [:]
    for item in try context.fetch(Fetch<Item>()) { if let owner = item.owner { counts[owner.id.any, default: 0] += 1 } }
    return counts
  }

  private func edit(_ context: RootContext, _ random: inout SeededGenerator) throws {
    let items = try context.fetch(Fetch<Item>())
    let people = try context.fetch(Fetch<Person>())
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let item = items.filter { $0.state == .live }.randomElement(using: &random)
      let person = people.filter { $0.state == .live }.randomElement(using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: context.insert(Item(name: "item")).owner = person
      case 2: context.insert(Person(name: "person"))
      case 3: if let item { context.delete(item) }
      case 4: if let person { context.delete(person) }
      default: item?.owner = person
      }
    }
  }

  func testWhatProgramsWithoutItSaveIsTakenUpByTheNextReadOrInSlices() async throws {
    let opened = try TestStore()
    try await opened.store.log.install(Outbox())
    try await opened.store.log.install(ItemsByOwner())
    try await opened.store.log.waitForProjections()
    let ada = AnyObjectID(Person.entity.interned, UniqueID())
    try opened.store.appendAsAnotherProcess([(ada, .inserted(Person.entity.defaults))])
    var values = Item.entity.defaults
    values[try XCTUnwrap(Item.entity.slot(named: "owner"))] = .reference(ada)
    func saveElsewhere(_ count: Int) throws {
      for _ in 0..<count {
        try opened.store.appendAsAnotherProcess([(AnyObjectID(Item.entity.interned, UniqueID()), .inserted(values))])
      }
    }
    let context = RootContext(opened.store, isolation: nil)
    let known = try opened.projectionPosition("items by owner")
    try saveElsewhere(70)
    XCTAssertEqual(try context.number(of: ItemsByOwner(), at: [.reference(ada)]), 70)
    XCTAssertEqual(try opened.projectionPosition("items by owner"), known)
    try saveElsewhere(1_000)
    do {
      let count = try context.number(of: ItemsByOwner(), at: [.reference(ada)])
      XCTAssertEqual(count, 1_070)
    } catch ProjectionError.unfinished(name: "items by owner", _) {}
    try await opened.store.log.waitForProjections()
    XCTAssertEqual(try context.number(of: ItemsByOwner(), at: [.reference(ada)]), 1_070)
    XCTAssertEqual(try opened.projectionPosition("items by owner"), opened.store.log.head)
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testAnOutboxIsPagedThroughAndEmptiedByASave() async throws {
    let opened = try TestStore()
    try await opened.store.log.install(Outbox())
    let context = RootContext(opened.store, isolation: nil)
    var positions: [Int64] = []
    for number in 0..<5 {
      context.insert(Item(name: "\(number)"))
      positions.append(Int64(try await context.save("save \(number)").number))
    }
    try await opened.store.log.waitForProjections()
    let first = try context.rows(of: Outbox(), limit: 2)
    XCTAssertEqual(first.map(\.value), [[.string("save 0")], [.string("save 1")]])
    let rest = try context.rows(of: Outbox(), after: first.last?.key)
    XCTAssertEqual(rest.map(\.key), positions.dropFirst(2).map { [.int($0)] })
    context.insert(Item(name: "receipt"))
    try await context.save(metadata: ["sent": "\(positions[3])"])
    XCTAssertEqual(try context.rows(of: Outbox()).map(\.value), [[.string("save 4")]])
  }

  func testAProjectionThatThrowsStopsAndTheSaveDoesNot() async throws {
    let opened = try TestStore()
    try await opened.store.log.install(Refused())
    try await opened.store.log.waitForProjections()
    let context = RootContext(opened.store, isolation: nil)
    for name in ["good", "bad", "good"] {
      context.insert(Item(name: name))
      try await context.save(name)
    }
    let bad = opened.store.log.head - 1
    XCTAssertThrowsError(try context.number(of: Refused(), at: [.string("all")])) { error in
      guard case ProjectionError.failed(name: "refused", at: bad, _) = error else { return XCTFail("\(error)") }
    }
    do {
      try await opened.store.log.waitForProjections()
      XCTFail("it goes on")
    } catch ProjectionError.failed(_, at: bad, _) {}
    XCTAssertEqual(try context.count(Fetch<Item>()), 3)
    try await opened.store.log.install(Refused(version: 2))
    try await opened.store.log.waitForProjections()
    XCTAssertEqual(try context.number(of: Refused(version: 2), at: [.string("all")]), Int(opened.store.log.head.number))
    // A program with the older version must not touch what the newer one has made.
    do {
      try await opened.store.log.install(Refused())
      XCTFail("it was installed")
    } catch { XCTAssertEqual(error as? ProjectionError, .newerVersion(name: "refused", found: 2, own: 1)) }
    try await opened.store.log.install(LongKey())
    try await opened.store.log.waitForProjections()
    context.insert(Item(name: "long"))
    let position = try await context.save("long")
    XCTAssertThrowsError(try context.rows(of: LongKey())) { error in
      XCTAssertEqual(
        error as? ProjectionError,
        .failed(name: "long key", at: position, reason: "the key of a row has 504 bytes, and may have at most 480"))
    }
    for name in ["", String(repeating: "n", count: 201)] {
      do {
        try await opened.store.log.install(ItemsByOwner(name: name))
        XCTFail("it was installed")
      } catch { XCTAssertEqual(error as? ProjectionError, .invalidName(name)) }
    }
  }

  func testVerificationFindsARowThatTheLogDoesNotMake() async throws {
    let opened = try TestStore()
    for keepsHistory in [false, true] {
      let projection = ItemsByOwner(name: "count \(keepsHistory)", keepsHistory: keepsHistory)
      try await opened.store.log.install(projection)
      let context = RootContext(opened.store, isolation: nil)
      context.insert(Item(name: "Chair")).owner = context.insert(Person(name: "Ada"))
      try await context.save()
      try await opened.store.log.waitForProjections()
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
      try await opened.store.log.install(
        ItemsByOwner(name: "count \(keepsHistory)", keepsHistory: keepsHistory, step: 2))
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems.count, 1)
      try await opened.store.log.install(projection)
    }
  }

  func testManyRowsOfAnEarlierVersionAreRemovedAndMadeAnew() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    for number in 0..<2_500 { context.insert(Item(name: "\(number)")) }
    try await context.save()
    try await opened.store.log.install(RowForEach())
    try await opened.store.log.waitForProjections()
    try await opened.store.log.install(RowForEach(version: 2))
    try await opened.store.log.waitForProjections()
    XCTAssertEqual(try context.rows(of: RowForEach(version: 2), limit: 5_000).count, 2_500)
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  /// Its table was read through LMDB, which does not check what pages say.
  func testDamagedPagesAreErrorsAndNotTraps() async throws {
    var random = SeededGenerator(seed: testSeed())
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    for number in 0..<600 { context.insert(Item(name: "\(number)")) }
    try await context.save()
    try await opened.store.log.install(RowForEach())
    try await opened.store.log.waitForProjections()
    let pages = try DamagedPages(of: opened.path)
    let all = pages.branches(of: "projections") + pages.leaves(of: "projections")
    XCTAssertGreaterThan(all.count, 5)
    for found in all {
      for round in 0..<6 {
        // What a page is, where its nodes are, and how many.
        let offset = round < 3 ? [10, 12, 13][round] : Int.random(in: 16..<64, using: &random)
        let mask = UInt8.random(in: 1...255, using: &random)
        try pages.write([found.page.bytes[offset] ^ mask], at: offset, of: found)
        _ = try? context.rows(of: RowForEach(), limit: 5_000)
        _ = try? context.rows(of: RowForEach(), after: [.string("Item/5")], limit: 10)
        _ = try? context.number(of: RowForEach(), at: [.string("nowhere")])
        _ = try? StoreMaintenance.verifyNow(opened.store)
        try pages.restore(found)
      }
    }
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  /// Damage to rows that follow from the log costs making them once more, and no save.
  func testDamagedRowsAndStatesAreMadeAnewAndRefuseNoSave() async throws {
    for isState in [false, true] {
      let opened = try TestStore()
      try await opened.store.log.install(ItemsByOwner())
      try await opened.store.log.install(Outbox())
      let context = RootContext(opened.store, isolation: nil)
      let ada = context.insert(Person(name: "Ada"))
      context.insert(Item(name: "Chair")).owner = ada
      try await context.save("first")
      try await opened.store.log.waitForProjections()
      try opened.damageProjections(isState: isState)
      context.insert(Item(name: "Table")).owner = ada
      try await context.save("second")
      if isState {
        XCTAssertThrowsError(try context.rows(of: ItemsByOwner())) { error in
          guard case StoreError.damaged = error else { return XCTFail("\(error)") }
        }
        try await opened.store.log.install(ItemsByOwner())
        try await opened.store.log.install(Outbox())
      }
      try await opened.store.log.waitForProjections()
      XCTAssertEqual(try context.number(of: ItemsByOwner(), at: [.reference(ada.id.any)]), 2)
      XCTAssertEqual(try context.rows(of: Outbox()).count, 2)
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
    }
  }

  /// A damaged key may begin with any number.
  func testARowUnderTheGreatestNumberIsNotInTheWay() async throws {
    let opened = try TestStore()
    let table = try opened.store.opened(opened.store.tables.projections)
    try opened.store.environment.write { (transaction) throws(StorageError) in
      let row = [UInt8](repeating: 0xFF, count: 9)
      try transaction.put(table, key: row.span.bytes, value: row.span.bytes)
    }
    try await opened.store.log.install(ItemsByOwner())
    let context = RootContext(opened.store, isolation: nil)
    let ada = context.insert(Person(name: "Ada"))
    context.insert(Item(name: "Chair")).owner = ada
    try await context.save()
    try await opened.store.log.waitForProjections()
    XCTAssertEqual(try context.number(of: ItemsByOwner(), at: [.reference(ada.id.any)]), 1)
  }

  func testDamagedRowsAndStatesAreNamed() async throws {
    let opened = try TestStore()
    try await opened.store.log.install(ItemsByOwner())
    let context = RootContext(opened.store, isolation: nil)
    context.insert(Item(name: "Chair")).owner = context.insert(Person(name: "Ada"))
    try await context.save()
    try await opened.store.log.waitForProjections()
    func expect(_ reason: String, line: UInt = #line) throws {
      let problems = try StoreMaintenance.verifyNow(opened.store).problems
      XCTAssertEqual(
        problems, ["The table 'projections' is damaged: \(reason)."], line: line)
    }
    try opened.damageProjections(isState: true)
    try expect("the state of the projection 'items by owner': expected a matching checksum at byte 0")
    // The bit is as it was.
    try opened.damageProjections(isState: true)
    try opened.damageProjections(isState: false)
    try expect("a row of a projection: expected a matching checksum at byte 0")
    try opened.damageProjections(isState: false) { _ in ByteWriter.sealing(reserving: 0).sealed() }
    try expect("a row of a projection: expected the flag of a row at byte 4")
  }

  func testARebuiltStoreMakesItsRowsAnewAndABackupHasThem() async throws {
    let opened = try TestStore()
    try await opened.store.log.install(ItemsByOwner())
    let context = RootContext(opened.store, isolation: nil)
    let ada = context.insert(Person(name: "Ada"))
    context.insert(Item(name: "Chair")).owner = ada
    try await context.save()
    try await opened.store.log.waitForProjections()
    let copy = opened.path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try await StoreMaintenance.backup(opened.store, to: copy)
    let other = try Store.openNow(copy, for: opened.schema, StoreOptions())
    try await other.log.install(ItemsByOwner())
    let key = [PropertyValue.reference(ada.id.any)]
    XCTAssertEqual(try RootContext(other, isolation: nil).number(of: ItemsByOwner(), at: key), 1)
    try await other.close()
    try await opened.store.close()
    _ = try await StoreMaintenance.rebuild(opened.path)
    try opened.open()
    try await opened.store.log.install(ItemsByOwner())
    try await opened.store.log.waitForProjections()
    XCTAssertEqual(try RootContext(opened.store, isolation: nil).number(of: ItemsByOwner(), at: key), 1)
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
  }

  func testKeysSortAsTheirValuesDoAndAreReadAgain() throws {
    var random = SeededGenerator(seed: testSeed())
    let id = AnyObjectID(Item.entity.interned, UniqueID())
    func value() -> PropertyValue {
      switch Int.random(in: 0..<9, using: &random) {
      case 0: .null
      case 1: .bool(Bool.random(using: &random))
      case 2: .int([0, -1, 1, .min, .max, Int64.random(in: -9...9, using: &random)].randomElement(using: &random) ?? 0)
      case 3: .double([0.5, -1, -.infinity, 1e300, 3].randomElement(using: &random) ?? 0)
      case 4: .bytes([[], [0], [0, 255], [0, 0], [1], [255, 0]].randomElement(using: &random) ?? [])
      case 5: .reference(id)
      case 6: .unsigned(UInt64.random(in: 0...300, using: &random))
      case 7: .date(Double.random(in: -5...5, using: &random))
      default: .string(["", "a", "a\u{0}", "ab", "b", "é"].randomElement(using: &random) ?? "")
      }
    }
    for _ in 0..<2_000 {
      let key = (0..<Int.random(in: 0...3, using: &random)).map { _ in value() }
      let bytes = RowCoding.encoded(key)
      XCTAssertEqual(ProjectionRows.key(bytes), key)
      let other = key + [value()]
      XCTAssertTrue(bytes.lexicographicallyPrecedes(RowCoding.encoded(other)), "\(key) and \(other)")
      XCTAssertTrue(RowCoding.encoded(other).starts(with: RowCoding.prefix(key)))
    }
    let ints: [Int64] = [.min, -300, -1, 0, 1, 256, .max]
    let sorted = ints.map { RowCoding.encoded([.int($0)]) }
    XCTAssertTrue(zip(sorted, sorted.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    let doubles: [Double] = [-.infinity, -1e9, -0.5, 0, 0.25, 7, .infinity]
    let numbers = doubles.map { RowCoding.encoded([.double($0)]) }
    XCTAssertTrue(zip(numbers, numbers.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
  }
}

extension TestStore {
  /// Changes the state of each projection, or each row of the first. By default, flips a bit.
  fileprivate func damageProjections(
    isState: Bool, by change: ([UInt8]) -> [UInt8] = { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
  ) throws {
    try store.environment.write { (transaction) throws(StorageError) in
      let table = try store.tables.projections.table(transaction.view)
      var damaged: [(key: [UInt8], value: [UInt8])] = []
      try transaction.view.forEachEntry(of: table) { key, value in
        if key.prefix(4) == [0, 0, 0, isState ? 0 : 1] { damaged.append((key, value)) }
      }
      for (key, whole) in damaged {
        let value = change(whole)
        try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
      }
    }
  }

  fileprivate func projectionPosition(_ name: String) throws -> Position? {
    let table = try XCTUnwrap(store.projections.table)
    return try store.environment.read { (transaction) throws(StorageError) in
      try table.state(of: name, transaction.view)?.position
    }
  }
}

extension View {
  fileprivate func forEachEntry(
    of table: Table, _ body: (_ key: [UInt8], _ value: [UInt8]) -> Void
  ) throws(StorageError) {
    var cursor = try self.cursor(table)
    while let entry = try cursor.next() {
      body(entry.key.withUnsafeBytes { [UInt8]($0) }, entry.value.withUnsafeBytes { [UInt8]($0) })
    }
  }
}
