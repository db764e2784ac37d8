import RepriseLMDB
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

/// What is unique with `nilsAreEqual: true`.
final class EqualNilTests: XCTestCase {
  private func testStore() throws -> TestStore {
    let test = try TestStore(Schema(Seat.self, Hall.self, Ticket.self))
    addTeardownBlock { withExtendedLifetime(test) {} }
    return test
  }

  private func violations(of save: () async throws -> Void) async -> [RuleViolation] {
    do {
      try await save()
      return []
    } catch SaveError.violations(let violations) {
      return violations
    } catch {
      XCTFail("\(error)")
      return []
    }
  }

  private func assertSound(_ store: Store, line: UInt = #line) async throws {
    let report = try await store.verify()
    XCTAssertEqual(report.problems, [], line: line)
  }

  private func inserted(row: Int?, hall: AnyObjectID? = nil) -> (object: AnyObjectID, change: ObjectChange) {
    var values = Seat.entity.defaults
    values[0] = row.map { .int(Int64($0)) } ?? .null
    values[2] = hall.map { .reference($0) } ?? .null
    return (AnyObjectID(Seat.entity.interned, UniqueID()), .inserted(values))
  }

  // MARK: Saves into the log

  func testASecondObjectWithEqualNilsIsRefused() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let hall = context.insert(Hall("A"))
    let first = context.insert(Seat(hall, row: nil))
    try await context.save()
    let second = context.insert(Seat(hall, row: nil))
    let found = await violations { try await context.save() }
    XCTAssertEqual(
      found,
      [
        RuleViolation(
          object: second.id.any, properties: ["hall", "row"], values: [.reference(hall.id.any), .null],
          rule: .unique(heldBy: first.id.any))
      ])
    XCTAssertEqual(try context.violations(), found)
    XCTAssertTrue(found.first?.message.contains("row nil, and so has") ?? false, "\(found)")
    second.row = 1
    try await context.save()
    second.row = nil
    let again = await violations { try await context.save() }
    XCTAssertEqual(again, found)
    context.discard()
    try await assertSound(test.store)
  }

  func testOtherValuesBesideANilAreAccepted() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    for name in ["A", "B"] {
      let hall = context.insert(Hall(name))
      for row in [nil, 0, 1] { context.insert(Seat(hall, row: row)) }
    }
    for row in 0..<3 { context.insert(Seat(nil, row: row)) }
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Seat>()), 9)
    try await assertSound(test.store)
  }

  func testOnlyOneObjectMayHaveNoValueAtAll() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    context.insert(Seat(nil, row: nil))
    context.insert(Ticket(nil, day: nil))
    try await context.save()
    for _ in 0..<2 {
      context.insert(Seat(nil, row: nil))
      context.insert(Ticket(nil, day: nil))
    }
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.count, 4)
    XCTAssertEqual(Set(found.map(\.values)), [[.null, .null]])
  }

  func testEqualNilsOfAReferenceAreRefused() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let hall = context.insert(Hall("A"))
    let first = context.insert(Seat(nil, row: 7))
    let second = context.insert(Seat(hall, row: 7))
    try await context.save()
    second.hall = nil
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.map(\.values), [[.null, .int(7)]])
    XCTAssertEqual(found.map(\.rule), [.unique(heldBy: first.id.any)])
    first.row = 8
    try await context.save()
    try await assertSound(test.store)
  }

  func testATextIsComparedByItsCollationBesideANil() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let ada = context.insert(Ticket("Ada", day: nil))
    let nobody = context.insert(Ticket(nil, day: 1))
    try await context.save()
    context.insert(Ticket("ADA", day: nil))
    context.insert(Ticket(nil, day: 1))
    context.insert(Ticket("", day: 1))
    context.insert(Ticket("ada", day: 1))
    let found = await violations { try await context.save() }
    XCTAssertEqual(Set(found.map(\.rule)), [.unique(heldBy: ada.id.any), .unique(heldBy: nobody.id.any)])
    XCTAssertEqual(Set(found.map(\.values)), [[.string("ADA"), .null], [.null, .int(1)]])
  }

  func testLongTextsBesideANilAreComparedAsAWhole() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let start = String(repeating: "long", count: 300)
    for end in ["a", "b", "c"] { context.insert(Ticket(start + end, day: nil)) }
    try await context.save()
    context.insert(Ticket(start + "d", day: nil))
    try await context.save()
    context.insert(Ticket(start + "B", day: nil))
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.count, 1)
    context.discard()
    try await assertSound(test.store)
  }

  func testTheSecondOfTwoContextsWithEqualNilsIsRefused() async throws {
    let test = try testStore()
    let (mine, theirs) = (RootContext(test.store), RootContext(test.store))
    mine.followsHead = false
    let first = theirs.insert(Seat(nil, row: 1))
    try await theirs.save()
    let second = mine.insert(Seat(nil, row: 1))
    let found = await violations { try await mine.save() }
    XCTAssertEqual(found.map(\.object), [second.id.any])
    XCTAssertEqual(found.map(\.rule), [.unique(heldBy: first.id.any)])
    let id = inserted(row: nil)
    try test.store.appendAsAnotherProcess([id])
    second.row = nil
    let others = await violations { try await mine.save() }
    XCTAssertEqual(others.map(\.rule), [.unique(heldBy: id.object)])
  }

  func testOneGroupCommitTakesEqualNilsOnce() async throws {
    let test = try testStore()
    var requests = (0..<8).map { _ in SaveRequest(base: 0, changes: [inserted(row: nil)]) }
    let results = try test.store.append(&requests) { [] }
    XCTAssertEqual(results.count, 8)
    for (place, result) in results.enumerated() {
      switch result {
      case .success: XCTAssertEqual(place, 0)
      case .failure(.error(.violations(let violations))):
        XCTAssertEqual(violations.map(\.rule), [.unique(heldBy: requests[0].changes[0].object)])
      case .failure(let error): XCTFail("\(error)")
      }
    }
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Seat>()), 1)
    try await assertSound(test.store)
  }

  func testTwoObjectsExchangeANilForAValue() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let hall = context.insert(Hall("A"))
    let (first, second) = (context.insert(Seat(hall, row: nil)), context.insert(Seat(hall, row: 1)))
    try await context.save()
    (first.row, second.row) = (second.row, first.row)
    try await context.save()
    XCTAssertEqual([first.row, second.row], [1, nil])
    context.delete(second)
    let third = context.insert(Seat(hall, row: nil))
    try await context.save()
    context.insert(second)
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.map(\.rule), [.unique(heldBy: third.id.any)])
    context.discard()
    try await assertSound(test.store)
  }

  func testAMergeThatMakesEqualNilsIsRefused() async throws {
    for policy in [MergePolicy.error, .mine, .overwrite] {
      let test = try testStore()
      let (mine, theirs) = (RootContext(test.store), RootContext(test.store))
      mine.followsHead = false
      let hall = theirs.insert(Hall("A"))
      let first = theirs.insert(Seat(nil, row: nil))
      let second = theirs.insert(Seat(hall, row: 1))
      try await theirs.save()
      try mine.refresh()
      // Neither change alone breaks the rule, and they are of different properties.
      try mine.object(second.id).row = nil
      second.hall = nil
      try await theirs.save()
      let found = await violations { try await mine.save(merging: policy) }
      XCTAssertEqual(found.map(\.values), [[.null, .null]])
      XCTAssertEqual(found.map(\.rule), [.unique(heldBy: first.id.any)])
      try await assertSound(test.store)
    }
  }

  /// The delete rule of the reference is `nullify`.
  func testDeletionsThatMakeEqualNilsAreRefused() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let halls = ["A", "B"].map { context.insert(Hall($0)) }
    let seats = halls.map { context.insert(Seat($0, row: 3)) }
    try await context.save()
    context.delete(halls[0])
    try await context.save()
    context.delete(halls[1])
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.map(\.object), [seats[1].id.any])
    XCTAssertEqual(found.map(\.rule), [.unique(heldBy: seats[0].id.any)])
    context.delete(seats[1])
    try await context.save()
    try await assertSound(test.store)
  }

  // MARK: Children

  func testAChildWithEqualNilsIsRefused() async throws {
    let test = try testStore()
    let parent = RootContext(test.store)
    let saved = parent.insert(Seat(nil, row: nil))
    try await parent.save()
    let child = parent.makeChild()
    let own = child.insert(Seat(nil, row: nil))
    XCTAssertEqual(try child.violations().map(\.rule), [.unique(heldBy: saved.id.any)])
    XCTAssertThrowsError(try child.save())
    saved.row = 1
    XCTAssertEqual(try child.violations(), [])
    own.row = 1
    XCTAssertEqual(try child.violations().map(\.values), [[.null, .int(1)]])
    own.row = nil
    try child.save()
    try await parent.save()
    try await assertSound(test.store)
  }

  // MARK: Fetches

  func testTheIndexServesFetchesOfNils() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let halls = (0..<20).map { context.insert(Hall("\($0)")) }
    for hall in halls { for row in 0..<20 { context.insert(Seat(hall, row: row == 0 ? nil : row)) } }
    for row in 0..<20 { context.insert(Seat(nil, row: row)) }
    try await context.save()
    let own = Fetch<Seat> { $0.hall == halls[7] && $0.row == nil }
    XCTAssertEqual(try context.count(own), 1)
    XCTAssertLessThanOrEqual(try context.explain(own).visits, 1)
    let none = Fetch<Seat> { $0.hall == nil && $0.row == 4 }
    XCTAssertEqual(try context.count(none), 1)
    XCTAssertLessThanOrEqual(try context.explain(none).visits, 1)
    let sorted = Fetch<Seat> { $0.hall == halls[3] }.sorted { $0.row }
    XCTAssertEqual(try context.fetch(sorted).map(\.row), [nil] + (1..<20).map { $0 })
  }

  // MARK: Upserts

  func testAnUpsertFindsAnObjectByANil() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let hall = context.insert(Hall("A"))
    let saved = context.insert(Seat(hall, row: nil))
    try await context.save()
    let pending = context.insert(Seat(nil, row: 4))
    func upsert(_ hall: Hall?, _ row: Int?, _ price: Int) throws -> (object: Seat, outcome: UpsertOutcome) {
      try context.upsert(by: \Seat.row, \Seat.hall) {
        [$0.hall.set(to: hall?.id), $0.row.set(to: row), $0.price.set(to: price)]
      }
    }
    let first = try upsert(hall, nil, 1)
    XCTAssertTrue(first.object === saved)
    XCTAssertEqual(first.outcome, .updated)
    XCTAssertEqual(try upsert(hall, nil, 1).outcome, .unchanged)
    XCTAssertTrue(try upsert(nil, 4, 2).object === pending)
    let empty = try upsert(nil, nil, 3)
    XCTAssertEqual(empty.outcome, .inserted)
    XCTAssertTrue(try upsert(nil, nil, 4).object === empty.object)
    try await context.save()
    let child = context.makeChild()
    let found = try child.upsert(by: \Seat.hall, \Seat.row) { [$0.hall.set(to: nil), $0.row.set(to: nil)] }
    XCTAssertEqual(found.object.id, empty.object.id)
    XCTAssertThrowsError(try context.upsert(by: \Seat.hall, \Seat.row) { [$0.hall.set(to: nil)] }) {
      XCTAssertEqual($0 as? UpdateError, .missingKey(entity: "Seat", properties: ["hall", "row"]))
    }
    XCTAssertEqual(try context.count(Fetch<Seat>()), 3)
  }

  func testManyUpsertsFindTheirObjectsByNils() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let counts = try context.upsert(0..<30, by: \Ticket.holder, \Ticket.day) { ticket, number in
      [
        ticket.holder.set(to: number % 3 == 0 ? nil : number % 2 == 0 ? "ada" : "ADA"),
        ticket.day.set(to: number % 5 == 0 ? nil : number % 5),
      ]
    }
    XCTAssertEqual(counts.inserted, 10)
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Ticket>()), 10)
    try await assertSound(test.store)
  }

  func testABatchThatLosesARaceFindsTheOthersNil() async throws {
    let test = try testStore()
    let store = test.store
    let theirs = Guarded<AnyObjectID?>(nil)
    let done = try await BackgroundContext(store).upsert(0..<4, by: \Seat.hall, \Seat.row) { seat, number in
      if number == 3, theirs.withLock({ $0 }) == nil {
        var other = Seat.entity.defaults
        other[1] = .int(100)
        let id = AnyObjectID(Seat.entity.interned, UniqueID())
        theirs.withLock { $0 = id }
        try store.appendAsAnotherProcess([(id, .inserted(other))])
      }
      return [seat.hall.set(to: nil), seat.row.set(to: number == 0 ? nil : number), seat.price.increase(by: 1)]
    }
    XCTAssertEqual([done.counts.inserted, done.counts.updated], [3, 1])
    let id = try XCTUnwrap(theirs.withLock { $0 })
    XCTAssertEqual((try RootContext(store).object(id) as? Seat)?.price, 101)
    try await assertSound(store)
  }

  // MARK: Updates of many objects

  func testAnUpdateThatMakesEqualNilsIsRefused() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    for row in 0..<5 { context.insert(Seat(nil, row: row)) }
    try await context.save()
    let head = test.store.head
    try context.update(Fetch<Seat> { $0.row >= 3 }) { $0.row.set(to: nil) }
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.map(\.values), [[.null, .null]])
    context.discard()
    let batches = await violations {
      _ = try await BackgroundContext(test.store).update(Fetch<Seat>()) { [$0.row.set(to: nil)] }
    }
    XCTAssertEqual(batches.count, 4)
    XCTAssertEqual(test.store.head, head)
    try context.update(Fetch<Seat> { $0.row == 3 }) { $0.row.set(to: nil) }
    try await context.save()
    try await assertSound(test.store)
  }

  // MARK: Programs with weaker rules

  func testARunningProgramIsHeldToTheStricterRule() async throws {
    let test = try TestStore(Schema(Member.self, Team.self))
    let context = RootContext(test.store)
    let first = context.insert(Member(handle: "a"))
    try await context.save()
    try test.store.extendSchemaAsAnotherProcess(Schema(StrictMember.self, StrictTeam.self))
    let second = context.insert(Member(handle: "b"))
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.map(\.properties), [["team", "number"]])
    XCTAssertEqual(found.map(\.rule), [.unique(heldBy: first.id.any)])
    XCTAssertEqual(try context.violations(), found)
    second.number = 1
    try await context.save()
    let upserted = try context.upsert(by: \Member.team, \Member.number) {
      [$0.team.set(to: nil), $0.number.set(to: nil), $0.visits.set(to: 5)]
    }
    XCTAssertTrue(upserted.object === first)
    let byEmail = { try context.upsert(by: \Member.email) { [$0.email.set(to: nil)] } }
    XCTAssertThrowsError(try byEmail()) {
      XCTAssertEqual($0 as? UpdateError, .missingKey(entity: "Member", properties: ["email"]))
    }
    try await assertSound(test.store)
  }

  func testAProgramWithoutTheRuleIsHeldToEqualNils() async throws {
    let test = try TestStore(Schema(StrictMember.self, StrictTeam.self))
    let revision = test.store.map.revision
    try await test.store.close()
    test.schema = Schema(Member.self, Team.self)
    try test.open()
    do {
      let context = RootContext(test.store)
      for name in ["A", "B"] { context.insert(Member(handle: name, number: 1)).team = context.insert(Team(name)) }
      try await context.save()
      context.insert(Member(handle: "c", number: 2))
      context.insert(Member(handle: "d", number: 2))
      let found = await violations { try await context.save() }
      XCTAssertEqual(found.map(\.values), [[.null, .int(2)]])
    }
    try await test.store.close()
    test.schema = Schema(LoneMember.self, LoneTeam.self)
    try test.open()
    let context = RootContext(test.store)
    let teams = try context.fetch(Fetch<LoneTeam>())
    context.delete(teams[0])
    try await context.save()
    // Its members are not in the models, and lose their reference all the same.
    context.delete(teams[1])
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.map(\.properties), [["team", "number"]])
    XCTAssertEqual(found.map(\.values), [[.null, .int(1)]])
    let members = try context.fetch(Fetch<LoneMember>())
    members[1]._storage.set(1, 9)
    try await context.save()
    context.insert(LoneMember(_storage: ObjectStorage(LoneMember.entity)))
    try await context.save()
    context.insert(LoneMember(_storage: ObjectStorage(LoneMember.entity)))
    let news = await violations { try await context.save() }
    XCTAssertEqual(Set(news.map(\.properties)), [["handle"], ["team", "number"]])
    XCTAssertEqual(test.store.map.revision, revision)
    try await assertSound(test.store)
  }

  // MARK: The store

  func testVerifyFindsEqualNils() async throws {
    let test = try testStore()
    try test.store.appendAsAnotherProcess([inserted(row: nil)])
    try await assertSound(test.store)
    try test.store.appendAsAnotherProcess([inserted(row: nil)], isLawless: true)
    let report = try await test.store.verify()
    XCTAssertEqual(report.problems.count, 1)
    XCTAssertTrue(report.problems.first?.contains("has hall nil and row nil, and so has") ?? false, report.description)
  }

  func testEqualNilsAreRefusedByAStoreThatWasReopened() async throws {
    let test = try testStore()
    do {
      let context = RootContext(test.store)
      context.insert(Seat(nil, row: nil))
      context.insert(Ticket("Ada", day: nil))
      try await context.save()
    }
    for isRebuilt in [false, true] {
      try await test.store.close()
      if isRebuilt { try await Store.rebuild(test.path) }
      try test.open()
      let context = RootContext(test.store)
      context.insert(Seat(nil, row: nil))
      context.insert(Ticket("ada", day: nil))
      let found = await violations { try await context.save() }
      XCTAssertEqual(found.count, 2, "rebuilt: \(isRebuilt)")
      context.discard()
      try await assertSound(test.store)
    }
  }

  func testASalvageKeepsTheRuleForValuesThatAreNotNil() async throws {
    let test = try testStore()
    let (first, second) = (inserted(row: nil), inserted(row: nil))
    try test.store.appendAsAnotherProcess([first])
    try test.store.appendAsAnotherProcess([second], isLawless: true)
    let ticket = AnyObjectID(Ticket.entity.interned, UniqueID())
    try test.store.appendAsAnotherProcess([(ticket, .inserted(Ticket.entity.defaults))])
    let store = test.store
    let problems = try store.environment.write { (transaction) throws(StorageError) in
      try BrokenRules(tables: store.tables, logID: store.logID).lift(transaction)
    }
    XCTAssertEqual(problems.count, 1)
    try await assertSound(store)
    let context = RootContext(store)
    for _ in 0..<2 { context.insert(Seat(nil, row: nil)) }
    try await context.save()
    let hall = context.insert(Hall("A"))
    for _ in 0..<2 { context.insert(Seat(hall, row: 1)) }
    context.insert(Ticket(nil, day: nil))
    let found = await violations { try await context.save() }
    XCTAssertEqual(Set(found.map(\.properties)), [["hall", "row"], ["holder", "day"]])
    XCTAssertEqual(found.count, 2)
  }
}
