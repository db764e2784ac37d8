import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseObjectGraph

/// Whatever contexts, their children and other processes save, with whatever merge policy: a save is refused if, and
/// only if, objects would be the same that must not be, as a look at all of them tells. In some stores nil equals nil,
/// from the beginning or by a rule that another process adds while this one runs.
final class UniquenessRandomTests: XCTestCase {
  /// By the ID of each object, its values by slot.
  private typealias State = [AnyObjectID: ContiguousArray<PropertyValue>]

  /// An object, and the properties in which it is the same as another.
  private struct Clash: Hashable {
    let object: AnyObjectID
    let properties: [String]
  }

  private struct Rule {
    let slots: [Int]
    let properties: [String]
    var nilsAreEqual = false
  }

  /// Those of `Member`.
  private static let plainRules = [
    Rule(slots: [0], properties: ["email"]), Rule(slots: [1], properties: ["handle"]),
    Rule(slots: [4, 2], properties: ["team", "number"]),
  ]
  /// Those of `StrictMember`.
  private static let strictRules = [
    Rule(slots: [0], properties: ["email"]), Rule(slots: [1], properties: ["handle"], nilsAreEqual: true),
    Rule(slots: [4, 2], properties: ["team", "number"], nilsAreEqual: true),
  ]
  private var rules = plainRules
  private var equalNils = 0
  private var refusals = 0
  private var accepted = 0
  private var merged = 0

  /// Some are so long that their rows are the same.
  private let emails =
    ["a", "b", "e\u{301}", "\u{E9}", "c\u{0}"] + ["x", "y"].map { String(repeating: "l", count: 500) + $0 }
  private let handles = ["Ada", "ADA", "ada", "Straße", "STRASSE", "Bob"]

  private func same(_ values: ContiguousArray<PropertyValue>, _ rule: Rule) -> [PropertyValue]? {
    let columns = rule.slots.map { values[$0] }
    if !rule.nilsAreEqual, columns.contains(where: \.isNull) { return nil }
    // `String` compares canonically; what folds alike is listed by hand.
    return columns.map { value in
      guard rule.slots == [1], case .string(let text) = value else { return value }
      return .string(text.lowercased().replacing("ß", with: "ss"))
    }
  }

  /// The groups of objects that are the same, and one of which was not so before.
  private func clashes(_ lower: State, after changes: [AnyObjectID: ObjectChange]) -> [Set<Clash>] {
    let state = applied(changes, to: lower)
    var groups: [Set<Clash>] = []
    for rule in rules {
      var alike: [[PropertyValue]: Set<AnyObjectID>] = [:]
      for (id, values) in state { if let key = same(values, rule) { alike[key, default: []].insert(id) } }
      for group in alike.values where group.count > 1 {
        let isNew = group.contains { id in
          guard let before = lower[id], let now = state[id] else { return true }
          return rule.slots.contains { !before[$0].isIdentical(to: now[$0]) }
        }
        if isNew { groups.append(Set(group.map { Clash(object: $0, properties: rule.properties) })) }
      }
    }
    return groups
  }

  private func members(_ context: ObjectContext) throws -> State {
    let members = try context.fetch(Fetch<Member>())
    return Dictionary(
      uniqueKeysWithValues: members.map { member in
        (member.id.any, ContiguousArray((0..<5).map { member._storage.value($0) } + [.null, .null, .null]))
      })
  }

  private func applied(_ changes: [AnyObjectID: ObjectChange], to state: State) -> State {
    var state = state
    for (id, change) in changes where id.name == Member.entity.interned { state[id] = change.applied(to: state[id]) }
    return state
  }

  private func changes(_ context: EditingContext) -> [AnyObjectID: ObjectChange] {
    Dictionary(uniqueKeysWithValues: context.overlay.changes.map { ($0.key, $0.value) })
  }

  /// Each violation is in one of the groups, and each group has one less than it has objects, all but the first.
  private func check(_ violations: [RuleViolation], _ groups: [Set<Clash>], _ what: String) {
    let found = Set(violations.map { Clash(object: $0.object, properties: $0.properties) })
    XCTAssertEqual(violations.isEmpty, groups.isEmpty, what)
    for group in groups { XCTAssertFalse(group.isDisjoint(with: found), "\(what): \(group)") }
    for violation in violations {
      guard case .unique(let other) = violation.rule else { continue }
      let pair = [violation.object, other].map { Clash(object: $0, properties: violation.properties) }
      XCTAssertTrue(groups.contains { $0.isSuperset(of: pair) }, "\(what): \(violation)")
      XCTAssertNotEqual(violation.object, other)
    }
  }

  private func edit(_ context: EditingContext, _ random: inout SeededGenerator) throws {
    let all = try context.fetch(Fetch<Member>())
    let teams = try context.fetch(Fetch<Team>())
    func change(_ member: Member, _ random: inout SeededGenerator) {
      // In conflict with others' more often than not, and free of rules.
      if Bool.random(using: &random) { member.visits += 1 }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: member.email = (emails + [nil]).randomElement(using: &random)!
      case 1: member.handle = (handles + [nil]).randomElement(using: &random)!
      case 2: member.number = [1, 2, nil].randomElement(using: &random)!
      default: member.team = (teams + [nil]).randomElement(using: &random)!
      }
    }
    switch Int.random(in: 0..<13, using: &random) {
    case 0..<3:
      let member = context.insert(Member())
      for _ in 0..<3 { change(member, &random) }
    case 3..<7: if let member = all.randomElement(using: &random) { change(member, &random) }
    case 7: if let member = all.randomElement(using: &random) { context.delete(member) }
    case 8:
      guard all.count > 1, let one = all.randomElement(using: &random), let other = all.randomElement(using: &random)
      else { return }
      (one.email, other.email) = (other.email, one.email)
    case 9: context.undo()
    case 10: context.redo()
    case 11:
      let (team, number) = ((teams + [nil]).randomElement(using: &random)!, [1, 2, nil].randomElement(using: &random)!)
      let known = all.filter { $0.team === team && $0.number == number }
      let hasKey = team != nil && number != nil || rules[2].nilsAreEqual
      do {
        let (object, outcome) = try context.upsert(by: \Member.team, \Member.number) {
          [$0.team.set(to: team?.id), $0.number.set(to: number), $0.visits.increase(by: 1)]
        }
        XCTAssertTrue(hasKey)
        XCTAssertEqual(outcome, known.isEmpty ? .inserted : .updated)
        if !known.isEmpty { XCTAssertTrue(known.contains { $0 === object }) }
      } catch UpdateError.missingKey {
        XCTAssertFalse(hasKey)
      }
    default:
      let email = emails.randomElement(using: &random)!
      let known = all.filter { $0.email == email }
      let (object, outcome) = try context.upsert(by: \Member.email) {
        [$0.email.set(to: email), $0.visits.increase(by: 1)]
      }
      XCTAssertEqual(outcome, known.isEmpty ? .inserted : .updated)
      if !known.isEmpty { XCTAssertTrue(known.contains { $0 === object }) }
    }
  }

  private func save(_ context: RootContext, _ random: inout SeededGenerator) async throws {
    let head = try members(RootContext(context.store))
    let changes = changes(context)
    if try !context.conflicts().isEmpty {
      let policies: [MergePolicy] = [.mine, .theirs, .overwrite, .rollBack]
      merged += 1
      do {
        try await context.save(merging: policies.randomElement(using: &random)!)
      } catch SaveError.refused {
        XCTAssertEqual(try members(RootContext(context.store)), head)
        context.discard()
      }
      return
    }
    let groups = clashes(head, after: changes)
    check(try context.violations(), groups, "asked")
    do {
      try await context.save()
      XCTAssertEqual(groups, [])
      accepted += 1
    } catch SaveError.refused(let refusal) {
      check(refusal.violations, groups, "saved")
      if refusal.violations.contains(where: { $0.values.contains(where: \.isNull) }) { equalNils += 1 }
      XCTAssertEqual(try members(RootContext(context.store)), head)
      refusals += 1
      if Bool.random(using: &random) { context.discard() }
    }
  }

  private func save(_ child: ChildContext) throws {
    guard try child.conflicts().isEmpty else { return child.discard() }
    let changes = changes(child)
    let groups = clashes(try members(child.parent), after: changes)
    check(try child.violations(), groups, "child asked")
    do {
      try child.save()
      XCTAssertEqual(groups, [])
      accepted += 1
    } catch SaveError.refused(let refusal) {
      check(refusal.violations, groups, "child saved")
      refusals += 1
      child.discard()
    }
  }

  /// As another process: from the head, which this one may not have read.
  private func saveElsewhere(_ store: Store, _ random: inout SeededGenerator) throws {
    var values = Member.entity.defaults
    values[0] = .string(emails.randomElement(using: &random)!)
    values[1] = (handles.map { .string($0) } + [.null]).randomElement(using: &random)!
    values[2] = [.int(1), .int(2), .null].randomElement(using: &random)!
    let id = AnyObjectID(Member.entity.interned, UniqueID())
    let head = try members(RootContext(store))
    let groups = clashes(head, after: [id: .inserted(values)])
    do {
      try store.appendAsAnotherProcess([(id, .inserted(values))])
      XCTAssertEqual(groups, [])
    } catch SaveError.refused(let refusal) {
      check(refusal.violations, groups, "another process")
    }
  }

  /// As another process: adds the stricter rules, once no objects break them.
  private func strengthen(_ store: Store) async throws {
    let context = RootContext(store)
    for member in try context.fetch(Fetch<Member>()) { context.delete(member) }
    if context.hasChanges { try await context.save() }
    try store.extendSchemaAsAnotherProcess(Schema(StrictMember.self, StrictTeam.self))
    rules = Self.strictRules
  }

  func testNoTwoObjectsAreTheSameWhoeverSaves() async throws {
    for seed in testSeeds(9) {
      rules = Self.plainRules
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Member.self, Team.self), windowBudget: seed % 2 == 0 ? 2_000 : nil)
      do {
        let first = RootContext(test.store)
        for name in ["A", "B"] { first.insert(Team(name)) }
        try await first.save()
      }
      if seed % 3 == 1 { try await strengthen(test.store) }
      let roots = (0..<3).map { _ in RootContext(test.store) }
      let children = roots.map { $0.makeChild() }
      let grandchildren = children.map { $0.makeChild() }
      for step in 0..<400 {
        if step == 200, seed % 3 == 2 { try await strengthen(test.store) }
        let place = Int.random(in: 0..<3, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: try await save(roots[place], &random)
        case 3..<5: try save(children[place])
        case 5: try save(grandchildren[place])
        case 6: try roots[place].refresh()
        case 7: try saveElsewhere(test.store, &random)
        case 8 where step % 5 == 0: roots[place].discard()
        default:
          let context = [roots[place], children[place], grandchildren[place]].randomElement(using: &random)!
          try edit(context, &random)
        }
        let head = try members(RootContext(test.store))
        for rule in rules {
          let keys = head.values.compactMap { same($0, rule) }
          XCTAssertEqual(Set(keys).count, keys.count, "seed \(seed), step \(step): \(rule.properties)")
        }
        if testRun?.failureCount ?? 0 > 0 { return XCTFail("seed \(seed), step \(step)") }
      }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [], "seed \(seed)")
    }
    XCTAssertGreaterThan(refusals, 20)
    XCTAssertGreaterThan(accepted, 60)
    XCTAssertGreaterThan(merged, 0)
    XCTAssertGreaterThan(equalNils, 10)
  }
}
