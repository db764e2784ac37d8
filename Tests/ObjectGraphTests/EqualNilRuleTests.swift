import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore

/// The rule as one of the store: for programs that lack it, and where it is proved or restored.
final class EqualNilRuleTests: EqualNilTestCase {
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
    let report = try await StoreMaintenance.verify(test.store)
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
      if isRebuilt { try await StoreMaintenance.rebuild(test.path) }
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
