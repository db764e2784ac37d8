import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Rules of attributes and of objects: whoever saves, and however, what breaks them is not stored.
final class ValidationTests: XCTestCase {
  private func violations(_ body: () async throws -> Void) async throws -> [RuleViolation] {
    do {
      try await body()
      XCTFail("it was saved")
      return []
    } catch SaveError.refused(let refusal) {
      return refusal.violations
    }
  }

  func testConflictsDoNotHideBrokenRulesNorRulesConflicts() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let first = RootContext(test.store, isolation: nil)
    let ada = first.insert(Guest("Ada", "Byron", age: 36))
    let bob = first.insert(Guest("Bob", "Ross"))
    try await first.save()
    let second = RootContext(test.store, isolation: nil)
    let child = second.makeChild()
    try first.object(ada.id).last = "King"
    try await first.save()
    try child.object(ada.id).last = "Lovelace"
    let other = try child.object(bob.id)
    other.age = 130
    other.arrival = 3
    let rules: [RuleViolation] = [
      .init(object: bob.id.any, properties: ["age"], values: [.int(130)], rule: .range("0...120")),
      .init(
        object: bob.id.any, properties: ["arrival", "departure"], values: [.int(3), .int(0)],
        rule: .object("leaves before arriving")),
    ]
    // Of a child with its parent.
    try second.object(ada.id).last = "Noel"
    XCTAssertThrowsError(try child.save()) { error in
      guard case SaveError.refused(let refusal) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(refusal.operation, .childSave)
      XCTAssertEqual(refusal.conflicts.map(\.object), [ada.id.any])
      XCTAssertEqual(refusal.violations, rules)
    }
    // Of a root with the log.
    second.undo()
    let mine = try second.object(ada.id)
    mine.last = "Lovelace"
    try second.object(bob.id).age = 130
    try second.object(bob.id).arrival = 3
    let changes = second.changes
    let head = test.store.log.head
    do {
      try await second.save()
      XCTFail("saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.operation, .save)
      XCTAssertEqual(refusal.conflicts.map(\.object), [ada.id.any])
      XCTAssertEqual(refusal.violations, rules)
      XCTAssertEqual(refusal.invalidValues, [])
    }
    XCTAssertEqual(test.store.log.head, head)
    XCTAssertEqual(second.changes, changes)
    // Mended, the other kind is told alone.
    try second.object(bob.id).age = 13
    try second.object(bob.id).departure = 4
    do {
      try await second.save()
      XCTFail("saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts.count, 1)
      XCTAssertEqual(refusal.violations, [])
    }
    try await second.save(merging: .mine)
  }

  func testASaveTellsAllRulesThatItBreaksAndWritesNothing() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let head = test.store.log.head
    let ada = context.insert(Guest("ada", "Byron", age: 130))
    ada.mood = .cross
    ada.arrival = 3
    let bob = context.insert(Guest("Bob", ""))
    bob.age = -1
    let expected: [RuleViolation] = [
      .init(object: ada.id.any, properties: ["first"], values: [.string("ada")], rule: .pattern("[A-Z][a-z]*")),
      .init(object: ada.id.any, properties: ["age"], values: [.int(130)], rule: .range("0...120")),
      .init(
        object: ada.id.any, properties: ["mood"], values: [.string("cross")],
        rule: .allowedValues([.string("calm"), .string("glad")])),
      .init(object: bob.id.any, properties: ["age"], values: [.int(-1)], rule: .range("0...120")),
      .init(
        object: ada.id.any, properties: ["arrival", "departure"], values: [.int(3), .int(0)],
        rule: .object("leaves before arriving")),
    ]
    let asked = try context.violations()
    XCTAssertEqual(Set(asked), Set(expected))
    XCTAssertEqual(asked.count, expected.count)
    let told = try await violations { try await context.save() }
    XCTAssertEqual(Set(told), Set(expected))
    XCTAssertEqual(test.store.log.head, head)
    XCTAssertTrue(context.hasChanges)
    XCTAssertEqual(
      told.first { $0.rule == .range("0...120") && $0.object == ada.id.any }?.message,
      "has age 130, which is not in 0...120")
    (ada.first, ada.age, ada.mood, ada.departure, bob.age) = ("Ada", nil, .glad, 4, 0)
    XCTAssertEqual(try context.violations(), [])
    try await context.save()
    XCTAssertEqual(try RootContext(test.store, isolation: nil).fetch(Fetch<Guest>()).count, 2)
  }

  func testALengthIsThatOfCharacters() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let guest = context.insert(Guest("A" + String(repeating: "b", count: 20), "B"))
    XCTAssertEqual(try context.violations().map(\.rule), [.length("1...20")])
    guest.first = ""
    XCTAssertEqual(try context.violations().map(\.rule), [.length("1...20"), .pattern("[A-Z][a-z]*")])
    let rule = AttributeRule<String>.length(1...1).rule
    XCTAssertTrue(rule.isKept(by: .string("👩‍👩‍👧")))
    XCTAssertFalse(rule.isKept(by: .string("e\u{301}e")))
    XCTAssertFalse(AttributeRule<Double>.range(0.0...).rule.isKept(by: .double(.nan)))
    XCTAssertTrue(AttributeRule<String>.pattern("é+").rule.isKept(by: .string("e\u{301}e\u{301}")))
  }

  func testAChildsSaveIsHeldToTheRulesOverItsParentsView() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let guest = context.insert(Guest("Ada", "Byron"))
    let child = context.makeChild()
    let edited = try child.object(guest.id)
    edited.arrival = 5
    edited.age = 200
    guest.departure = 2
    let told = try await violations { try child.save() }
    XCTAssertEqual(Set(told.map(\.rule)), [.range("0...120"), .object("leaves before arriving")])
    XCTAssertEqual(try child.violations().count, 2)
    XCTAssertEqual(guest.arrival, 0)
    edited.age = nil
    guest.departure = 6
    try child.save()
    XCTAssertEqual(guest.arrival, 5)
  }

  func testAnObjectIsValidatedAsItIsMerged() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let first = RootContext(test.store, isolation: nil)
    let guest = first.insert(Guest("Ada", "Byron"))
    guest.departure = 9
    try await first.save()
    let second = RootContext(test.store, isolation: nil)
    let other = try second.object(guest.id)
    guest.arrival = 8
    other.departure = 7
    try await first.save()
    // Neither has seen both.
    XCTAssertEqual(other.arrival, 0)
    let told = try await violations { try await second.save() }
    XCTAssertEqual(told.map(\.values), [[.int(8), .int(7)]])
    XCTAssertEqual(other.departure, 7)
    XCTAssertEqual(other.arrival, 0)
    other.departure = 8
    try await second.save()
    XCTAssertEqual(other.arrival, 8)
  }

  /// Whatever the order of the two in the writer: what was validated a moment ago is validated again.
  func testWhatOthersSaveBetweenTheCheckAndTheCommitIsValidatedAsWell() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let first = RootContext(test.store, isolation: nil)
    let guest = first.insert(Guest("Ada", "Byron"))
    guest.departure = 9
    try await first.save()
    let go = test.store.holdWriter()
    let id = guest.id
    let store = test.store
    let saves = (0..<2).map { number in
      Task { () -> Bool in
        let context = RootContext(store, isolation: nil)
        let guest = try context.object(id)
        if number == 0 { guest.arrival = 8 } else { guest.departure = 7 }
        do {
          try await context.save()
          return true
        } catch SaveError.refused(let refusal) {
          XCTAssertEqual(refusal.violations.map(\.values), [[.int(8), .int(7)]])
          return false
        }
      }
    }
    try await Task.sleep(for: .milliseconds(50))
    go()
    var saved = 0
    for save in saves { if try await save.value { saved += 1 } }
    XCTAssertEqual(saved, 1)
    let present = try RootContext(store, isolation: nil).object(id)
    XCTAssertLessThanOrEqual(present.arrival, present.departure)
  }

  func testTwoAdditionsThatLeaveTheRangeTogetherAreRefused() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let first = RootContext(test.store, isolation: nil)
    let guest = first.insert(Guest("Ada", "Byron", age: 100))
    try await first.save()
    let second = RootContext(test.store, isolation: nil)
    let other = try second.object(guest.id)
    guest.age = 115
    other.age = 115
    try await first.save()
    let told = try await violations { try await second.save() }
    XCTAssertEqual(told.map(\.values), [[.int(130)]])
  }

  func testARuleOfAnObjectSeesWhatItIsRelatedTo() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let guest = context.insert(Guest("Ada", "Byron"))
    guest.hotel = Hotel("closed")
    let told = try await violations { try await context.save() }
    XCTAssertEqual(told.map(\.properties), [["hotel"]])
    guest.hotel?.name = "open"
    try await context.save()
  }

  func testOnlyWhatChangesIsCheckedAndTheRestCanBeAskedFor() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let id = AnyObjectID(Guest.entity.interned, UniqueID())
    var values = Guest.entity.defaults
    (values[0], values[1], values[2], values[3]) = (.string("ada"), .string("B"), .int(300), .int(4))
    values[6] = .string("somebody")
    try test.store.appendAsAnotherProcess([(id, .inserted(values))], isLawless: true)
    let context = RootContext(test.store, isolation: nil)
    let guest = try XCTUnwrap(try context.fetch(Fetch<Guest>()).first)
    XCTAssertEqual(try context.violations(), [])
    XCTAssertEqual(
      Set(try context.violations(of: Fetch<Guest>()).map(\.rule)),
      [
        .pattern("[A-Z][a-z]*"), .range("0...120"), .object("leaves before arriving"),
      ])
    guest.last = "Byron"
    // The rules of the object are about the whole of it.
    XCTAssertEqual(try context.violations().map(\.rule), [.object("leaves before arriving")])
    guest.departure = 5
    try await context.save()
    XCTAssertEqual(try context.violations(of: Fetch<Guest>()).count, 2)
    XCTAssertEqual(try context.violations(of: Fetch<Guest>(), limit: 1).count, 1)
    for limit in [0, -1, .min] { XCTAssertEqual(try context.violations(of: Fetch<Guest>(), limit: limit), []) }
  }

  /// The fifth guest is too old.
  func testABatchThatIsRefusedTellsWhatWasSavedBefore() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    for number in 0..<5 { context.insert(Guest("Ada", "N\(number)", age: number)) }
    try await context.save()
    let background = BackgroundContext(test.store)
    let calls: [() async throws -> Void] = [
      { try await background.update(Fetch<Guest>(), batchSize: 2) { $0.age.increase(by: 117) } },
      {
        try await background.importObjects(of: 0..<5, batchSize: 2) { context, number in
          context.insert(Guest("Bob", "M\(number)", age: 117 + number))
        }
      },
    ]
    for (place, call) in calls.enumerated() {
      do {
        try await call()
        XCTFail("saved by call \(place)")
      } catch SaveError.savedInPart(count: 4, let position, .refused(let refusal)) {
        XCTAssertEqual(position, test.store.log.head)
        XCTAssertEqual(refusal.violations.map(\.values), [[.int(121)]])
      }
    }
    let now = RootContext(test.store, isolation: nil)
    XCTAssertEqual(try now.fetch(Fetch<Guest> { $0.age > 10 }).count, 8)
  }

  func testUpdatesUpsertsAndBatchesAreHeldToTheRules() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    for number in 0..<5 { context.insert(Guest("Ada", "N\(number)", age: number)) }
    try await context.save()
    try context.update(Fetch<Guest>()) { $0.age.increase(by: 118) }
    let told = try await violations { try await context.save() }
    XCTAssertEqual(told.map(\.values).sorted { "\($0)" < "\($1)" }, [[.int(121)], [.int(122)]])
    context.discard()
    let background = BackgroundContext(test.store)
    let inBatches = try await violations {
      try await background.update(Fetch<Guest>(), batchSize: 2) { $0.arrival.set(to: 1) }
    }
    XCTAssertEqual(inBatches.map(\.rule), [.object("leaves before arriving"), .object("leaves before arriving")])
    let written = try await violations {
      try await test.store.write { context in
        for guest in try context.fetch(Fetch<Guest>()) { guest.mood = .cross }
      }
    }
    XCTAssertEqual(written.count, 5)
    let now = RootContext(test.store, isolation: nil)
    XCTAssertEqual(try now.violations(of: Fetch<Guest>()), [])
    XCTAssertEqual(try now.fetch(Fetch<Guest>()).map(\.arrival), [0, 0, 0, 0, 0])
  }

  func testAPatternThatIsNoneIsToldWhenTheStoreIsOpened() {
    let properties = [Property.attribute("code", String.self, rules: [.pattern("(")])]
    let odd = Schema(entities: [Entity(Item.self, name: "Odd", properties: properties)])
    XCTAssertThrowsError(try TestStore(odd)) { error in
      guard case StoreError.schema(.invalidRule(entity: "Odd", property: "code", let reason)) = error else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(
        reason, "the regular expression '(' is not valid at character 0: the group is not closed")
    }
  }
}
