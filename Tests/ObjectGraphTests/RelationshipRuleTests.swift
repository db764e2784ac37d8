import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Relationships with limits, and with delete rules that refuse.
private enum Office {
  final class Team: TestModel {
    static let entity = Entity(
      Team.self, name: "Team",
      properties: [
        .attribute("name", String.self),
        .toMany("workers", Worker.self, inverse: "team", deleteRule: .deny, minimum: 1, maximum: 3),
        .toMany("desks", Desk.self, inverse: "team", deleteRule: .noAction),
        .toMany("skills", Skill.self, inverse: "teams", deleteRule: .deny, maximum: 2),
        .toMany("turns", Turn.self, inverse: "team", maximum: 2, isOrdered: true),
      ])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    init(_ name: String) {
      _storage = ObjectStorage(Self.entity)
      _storage.set(0, name)
    }
    var workers: ToMany<Worker> {
      get { ToMany(1, of: self) }
      set { _storage.setToMany(1, newValue, of: self) }
    }
    var desks: ToMany<Desk> { ToMany(2, of: self) }
    var skills: ToMany<Skill> { ToMany(3, of: self) }
    var turns: OrderedToMany<Turn> { OrderedToMany(4, of: self) }
  }

  final class Worker: TestModel {
    static let entity = Entity(
      Worker.self, name: "Worker", properties: [.toOne("team", Team.self, isRequired: true)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    init(_ team: Team? = nil) {
      _storage = ObjectStorage(Self.entity)
      self.team = team
    }
    @Linked(0) var team: Team?
  }

  final class Desk: TestModel {
    static let entity = Entity(Desk.self, name: "Desk", properties: [.toOne("team", Team.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    @Linked(0) var team: Team?
  }

  final class Turn: TestModel {
    static let entity = Entity(Turn.self, name: "Turn", properties: [.toOne("team", Team.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  final class Skill: TestModel {
    static let entity = Entity(Skill.self, name: "Skill", properties: [.toMany("teams", Team.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    var teams: ToMany<Team> { ToMany(0, of: self) }
  }
}

final class RelationshipRuleTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws {
    test = try TestStore(
      Schema(Office.Team.self, Office.Worker.self, Office.Desk.self, Office.Skill.self, Office.Turn.self))
  }

  // Test cases live as long as the process, and each store takes address space.
  override func tearDown() { test = nil }

  /// The rules that a save is refused for, as texts.
  private func refusal(of context: RootContext) async throws -> [String] {
    do {
      try await context.save()
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, "\(report)")
      return []
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(Set(try context.violations()), Set(refusal.violations))
      return refusal.violations.map { "\($0.object.entity).\($0.properties[0]) \($0.rule)" }.sorted()
    }
  }

  func testAllBrokenRulesAreToldTogether() async throws {
    let context = RootContext(test.store)
    let team = context.insert(Office.Team("one"))
    let full = context.insert(Office.Team("full"))
    for _ in 0..<4 { context.insert(Office.Worker(full)) }
    context.insert(Office.Worker())
    let refused = try await refusal(of: context)
    XCTAssertEqual(refused, ["Team.workers maximum(3)", "Team.workers minimum(1)", "Worker.team required"])
    context.delete(try XCTUnwrap(full.workers.first))
    for worker in try context.fetch(Fetch<Office.Worker>()) where worker.team == nil { worker.team = team }
    let accepted = try await refusal(of: context)
    XCTAssertEqual(accepted, [])
    full.workers = []
    let emptied = try await refusal(of: context)
    XCTAssertEqual(
      emptied, ["Team.workers minimum(1)", "Worker.team required", "Worker.team required", "Worker.team required"])
    context.discard()
    XCTAssertEqual(full.workers.count, 3)
  }

  func testLimitsHoldOfWhatTwoContextsMakeTogether() async throws {
    let (one, other) = (RootContext(test.store), RootContext(test.store))
    let team = one.insert(Office.Team("one"))
    one.insert(Office.Worker(team))
    one.insert(Office.Worker(team))
    try await one.save()
    try other.refresh()
    one.insert(Office.Worker(team))
    other.insert(Office.Worker(try other.object(team.id)))
    try await one.save()
    let refused = try await refusal(of: other)
    XCTAssertEqual(refused, ["Team.workers maximum(3)"])
  }

  func testMoreMembersThanTheGreatestNumberAreRefusedInPairsAndInAnOrderAsWell() async throws {
    let context = RootContext(test.store)
    let team = context.insert(Office.Team("one"))
    context.insert(Office.Worker(team))
    let skills = (0..<3).map { _ in context.insert(Office.Skill()) }
    team.skills.insert(skills[0])
    // From the other end too.
    skills[1].teams.insert(team)
    let turns = (0..<3).map { _ in context.insert(Office.Turn()) }
    team.turns.append(contentsOf: turns[..<2])
    let accepted = try await refusal(of: context)
    XCTAssertEqual(accepted, [])
    skills[2].teams.insert(team)
    team.turns.insert(turns[2], at: 1)
    let refused = try await refusal(of: context)
    XCTAssertEqual(refused, ["Team.skills maximum(2)", "Team.turns maximum(2)"])
    team.turns.remove(turns[0])
    team.skills.remove(skills[0])
    let again = try await refusal(of: context)
    XCTAssertEqual(again, [])
    XCTAssertTrue(team.turns.elementsEqual([turns[2], turns[1]], by: ===))
  }

  func testPairsThatTwoContextsMakeTogetherAreHeldToTheGreatestNumber() async throws {
    let (one, other) = (RootContext(test.store), RootContext(test.store))
    let team = one.insert(Office.Team("one"))
    one.insert(Office.Worker(team))
    team.skills.insert(one.insert(Office.Skill()))
    team.turns.append(one.insert(Office.Turn()))
    try await one.save()
    try other.refresh()
    for context in [one, other] {
      try context.object(team.id).skills.insert(context.insert(Office.Skill()))
      try context.object(team.id).turns.append(context.insert(Office.Turn()))
    }
    try await one.save()
    let refused = try await refusal(of: other)
    XCTAssertEqual(refused, ["Team.skills maximum(2)", "Team.turns maximum(2)"])
  }

  func testADeniedDeletionIsRefusedUntilNothingIsLeft() async throws {
    let context = RootContext(test.store)
    let team = context.insert(Office.Team("one"))
    let worker = context.insert(Office.Worker(team))
    let skill = context.insert(Office.Skill())
    team.skills.insert(skill)
    try await context.save()
    context.delete(team)
    XCTAssertEqual(worker.state, .live)
    let refused = try await refusal(of: context)
    XCTAssertEqual(refused, ["Team.skills deny", "Team.workers deny"])
    context.delete(worker)
    let stillRefused = try await refusal(of: context)
    XCTAssertEqual(stillRefused, ["Team.skills deny"])
    context.delete(skill)
    let accepted = try await refusal(of: context)
    XCTAssertEqual(accepted, [])
  }

  func testWhatWasRelatedSinceTheLastSaveIsProtectedAsWell() async throws {
    for isInChild in [false, true] {
      let context = RootContext(test.store)
      let (team, other) = (context.insert(Office.Team("one")), context.insert(Office.Team("other")))
      context.insert(Office.Worker(team))
      context.insert(Office.Worker(other))
      let moved = context.insert(Office.Worker(other))
      let desk = context.insert(Office.Desk())
      try await context.save()
      context.delete(try XCTUnwrap(team.workers.first))
      context.insert(Office.Worker(team))
      moved.team = team
      desk.team = team
      team.skills.insert(Office.Skill())
      let deleting = isInChild ? context.makeChild() : context
      deleting.delete(try deleting.object(team.id))
      XCTAssertEqual(try deleting.conflicts(), [])
      let found = try deleting.violations().map { "\($0.object.entity).\($0.properties[0]) \($0.rule)" }
      XCTAssertEqual(
        found.sorted(), ["Desk.team noAction", "Team.skills deny", "Team.workers deny", "Team.workers deny"])
      deleting.discard(team.id.any)
      XCTAssertEqual(try context.violations(), [])
    }
  }

  func testNothingDanglesAfterADeletionWithoutAction() async throws {
    let (one, other) = (RootContext(test.store), RootContext(test.store))
    let team = one.insert(Office.Team("one"))
    let worker = one.insert(Office.Worker(team))
    let desk = one.insert(Office.Desk())
    desk.team = team
    try await one.save()
    try other.refresh()
    one.delete(team)
    one.delete(worker)
    let refused = try await refusal(of: one)
    XCTAssertEqual(refused, ["Desk.team noAction"])
    desk.team = nil
    // Others relate another one meanwhile.
    let another = other.insert(Office.Desk())
    another.team = try other.object(team.id)
    try await other.save()
    let again = try await refusal(of: one)
    XCTAssertEqual(again, ["Desk.team noAction"])
    try one.refresh()
    one.delete(try one.object(another.id))
    let accepted = try await refusal(of: one)
    XCTAssertEqual(accepted, [])
  }

  func testHalfAPairIsNotSavedWhateverTheRule() async throws {
    for policy in [MergePolicy.theirs, .mine, .rollBack, .overwrite] {
      let (one, other) = (RootContext(test.store), RootContext(test.store))
      let team = one.insert(Office.Team("one"))
      let worker = one.insert(Office.Worker(team))
      let skill = one.insert(Office.Skill())
      try await one.save()
      try other.refresh()
      try other.object(team.id).skills.insert(try other.object(skill.id))
      one.delete(team)
      one.delete(worker)
      try await one.save()
      try await other.save(merging: policy)
      XCTAssertFalse(other.hasChanges)
      XCTAssertEqual(try other.object(skill.id).teams.count, 0)
      let links = try XCTUnwrap(test.store.map.all.first { $0.entity.isLink })
      XCTAssertEqual(try test.store.objects.count(of: links), 0)
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, "\(report)")
    }
  }

  func testAChildsSaveIsRefusedForWhatDeletionsLeaveAndForWhatIsRequired() async throws {
    let context = RootContext(test.store)
    let team = context.insert(Office.Team("one"))
    let worker = context.insert(Office.Worker(team))
    let desk = context.insert(Office.Desk())
    desk.team = team
    try await context.save()
    func refusal(_ body: (ChildContext) throws -> Void, line: UInt = #line) throws -> [RuleViolation.Rule] {
      let child = context.makeChild()
      try body(child)
      do {
        try child.save()
      } catch SaveError.refused(let refusal) {
        XCTAssertFalse(context.hasChanges, line: line)
        return refusal.violations.map(\.rule)
      }
      return []
    }
    // Deleting the worker leaves the desk only.
    let denied = try refusal { $0.delete(try $0.object(team.id)) }
    XCTAssertEqual(Set(denied), [.deny, .noAction])
    let dangling = try refusal { child in
      child.delete(try child.object(team.id))
      child.delete(try child.object(worker.id))
    }
    XCTAssertEqual(dangling, [.noAction])
    let homeless = try refusal { _ = $0.insert(Office.Worker()) }
    XCTAssertEqual(homeless, [.required])
    let accepted = try refusal { child in
      child.delete(try child.object(team.id))
      child.delete(try child.object(worker.id))
      try child.object(desk.id).team = nil
    }
    XCTAssertEqual(accepted, [])
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Office.Team>()), 0)
  }

  func testDeletionsInBatchesAreHeldToTheRules() async throws {
    let context = RootContext(test.store)
    let team = context.insert(Office.Team("one"))
    context.insert(Office.Worker(team))
    try await context.save()
    let background = BackgroundContext(test.store)
    func refusal() async throws -> [RuleViolation.Rule] {
      let head = test.store.log.head
      do {
        try await background.deleteAll(Fetch<Office.Team>())
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(test.store.log.head, head)
        let isPending = await background.perform { $0.hasChanges }
        XCTAssertFalse(isPending)
        return refusal.violations.map(\.rule)
      }
      return []
    }
    let denied = try await refusal()
    XCTAssertEqual(denied, [.deny])
    try context.refresh()
    let desk = context.insert(Office.Desk())
    desk.team = team
    try await context.save()
    let dangling = try await refusal()
    XCTAssertEqual(Set(dangling), [.deny, .noAction])
    desk.team = nil
    for worker in try context.fetch(Fetch<Office.Worker>()) { context.delete(worker) }
    context.delete(team)
    try await context.save()
    let accepted = try await refusal()
    XCTAssertEqual(accepted, [])
  }

  func testAChildIsHeldToTheRulesOverItsParent() async throws {
    let context = RootContext(test.store)
    let team = context.insert(Office.Team("one"))
    context.insert(Office.Worker(team))
    let child = context.makeChild()
    child.delete(try XCTUnwrap(child.object(team.id).workers.first))
    XCTAssertThrowsError(try child.save()) { error in
      guard case SaveError.refused(let refusal) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(refusal.violations.map(\.rule), [.minimum(1)])
      XCTAssertEqual(refusal.violations.map(\.values), [[.int(0)]])
    }
    child.discard()
    try child.save()
    try await context.save()
  }
}
