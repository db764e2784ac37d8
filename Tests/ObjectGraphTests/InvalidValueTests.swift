import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

/// Values that properties cannot hold: refused wherever they come from, found where they got in, never read as others.
@MainActor
final class InvalidValueTests: XCTestCase {
  private var test: TestStore!
  private var context: RootContext!
  private var item: Item!
  private var person: Person!

  override func setUp() async throws {
    test = try TestStore()
    context = RootContext(test.store)
    context.followsHead = false
    item = context.insert(Item(name: "old"))
    person = context.insert(Person(name: "Ada"))
    try await context.save()
  }

  private func change(_ slot: Int, to value: PropertyValue) -> ObjectChange {
    let old = slot == 0 ? .string("old") : Item.entity.defaults[slot]
    return .updated([PropertyChange(slot: slot, old: old, new: value)])
  }

  /// What the models say to values of all kinds.
  private var samples: [(slot: Int, value: PropertyValue, reason: InvalidValue.Reason?)] {
    [
      (0, .int(1), .typeMismatch(expected: "a String")), (0, .null, .missing), (0, .string("new"), nil),
      (1, .string("much"), .typeMismatch(expected: "an integer")), (1, .null, .missing),
      (1, .unsigned(7), .typeMismatch(expected: "an integer")), (1, .double(7), .typeMismatch(expected: "an integer")),
      (1, .int(.max), nil),
      (2, .int(3), .typeMismatch(expected: "a floating-point number")), (2, .null, nil), (2, .double(3), nil),
      (3, .string("photo"), .typeMismatch(expected: "bytes")), (3, .bytes([1]), nil),
      (4, .string("mint"), .outOfRange), (4, .string("worn"), nil),
      (5, .int(1), .typeMismatch(expected: "a Bool")), (5, .bool(true), nil),
      (6, .reference(item.id.any), .typeMismatch(expected: "an object of Person")),
      (6, .string("Ada"), .typeMismatch(expected: "an object of Person")), (6, .null, nil),
      (6, .reference(person.id.any), nil),
    ]
  }

  private func refusal(of context: RootContext) async -> SaveError? {
    do {
      try await context.save()
      return nil
    } catch {
      return error as? SaveError
    }
  }

  // MARK: New objects

  func testValuesThatNeedNoTestAreNeverRefused() {
    let plain = samples.filter { $0.value.isPlain(among: Item.entity.properties[$0.slot].plainValues) }
    XCTAssertEqual(plain.compactMap(\.reason), [])
    XCTAssertEqual(Set(plain.map(\.slot)), [0, 1, 2, 5, 6], "arrays and enums need a test")
    for property in Item.entity.properties + Person.entity.properties {
      for (_, value, _) in samples where value.isPlain(among: property.plainValues) {
        XCTAssertNil(property.objection(to: value), "\(property.name) took \(value)")
      }
    }
  }

  func testInvalidValuesOfTwoModelsAreAllFound() async {
    for (entity, slot) in [(Item.entity, 1), (Person.entity, 1), (Item.entity, 0)] {
      var values = entity.defaults
      values[slot] = .bytes([1])
      context.record(AnyObjectID(entity.interned, UniqueID()), .inserted(values))
    }
    let found = await refusal(of: context)?.refusal?.invalidValues.map(\.property)
    XCTAssertEqual(found?.sorted(), ["name", "valueInDollars", "zip"])
  }

  // MARK: Resolving

  func testAConflictIsNotResolvedWithAValueThatThePropertyCannotHold() async throws {
    for (slot, value, reason) in samples {
      let name = Item.entity.properties[slot].name
      context.discard()
      context.record(item.id.any, change(slot, to: value.isNull ? .string("other") : .null))
      let conflict = Conflict(object: item.id.any, kind: .attribute(name), theirs: .bytes([]))
      let changes = context.overlay.changes[item.id.any]
      do {
        try context.resolve(conflict, with: value)
        XCTAssertNil(reason, "\(name) took \(value)")
      } catch {
        let expected = reason.map { InvalidValue(object: item.id.any, property: name, value: value, reason: $0) }
        guard case .invalidValue(expected)? = error as? PropertyError else {
          return XCTFail("\(name), \(value): \(error)")
        }
        XCTAssertEqual(context.overlay.changes[item.id.any], changes, "nothing changed")
      }
    }
  }

  func testAConflictIsNotResolvedWithAnObjectThatNeverWas() async throws {
    let other = RootContext(test.store)
    let bob = other.insert(Person(name: "Bob"))
    try other.object(item.id).owner = bob
    try await other.save()
    item.owner = person
    let conflict = try XCTUnwrap(try context.conflicts().first)
    let nobody = Person(name: "nobody")
    XCTAssertThrowsError(try context.resolve(conflict, with: .reference(nobody.id.any))) { error in
      XCTAssertTrue("\(error)".contains("never was"), "\(error)")
    }
    try context.resolve(conflict, with: .reference(bob.id.any))
    XCTAssertEqual(item.owner?.id, bob.id)
    // Deleted by others is no mistake of who resolves: it shows as a conflict.
    context.discard()
    other.delete(try other.object(person.id))
    try other.object(item.id).owner = nil
    try await other.save()
    item.owner = context.insert(Person(name: "Eve"))
    let next = try XCTUnwrap(try context.conflicts().first)
    try context.resolve(next, with: .reference(person.id.any))
    XCTAssertEqual(try context.conflicts().map(\.kind), [.missingTarget("owner")])
  }

  func testWhatIsStoredMayBeTakenWhateverTheModelSays() async throws {
    try test.store.appendAsAnotherProcess([(item.id.any, change(1, to: .int(7)))])
    item.valueInDollars = 3
    let found = try XCTUnwrap(try context.conflicts().first)
    let conflict = Conflict(
      object: found.object, kind: found.kind, base: found.base, mine: found.mine, theirs: .string("from a newer model"))
    try context.resolve(conflict, with: conflict.theirs)
    XCTAssertFalse(context.hasChanges)
  }

  // MARK: Saving

  func testTheWriterRefusesValuesThatPropertiesCannotHoldWhoeverAsks() async throws {
    let head = test.store.log.head
    for (slot, value, reason) in samples {
      let name = Item.entity.properties[slot].name
      let new = Item(name: "new").id.any
      var values = Item.entity.defaults
      values[slot] = value
      for (id, change) in [(item.id.any, change(slot, to: value)), (new, .inserted(values))] {
        guard let reason else { continue }
        let good = (Person(name: "good").id.any, ObjectChange.inserted(Person.entity.defaults))
        let result = await test.store.save(SaveRequest(base: head, changes: [good, (id, change)]))
        guard case .failure(.error(.refused(let refusal))) = result else {
          return XCTFail("\(name), \(value): \(result)")
        }
        XCTAssertEqual(refusal.invalidValues, [InvalidValue(object: id, property: name, value: value, reason: reason)])
      }
    }
    XCTAssertEqual(test.store.log.head, head, "nothing was written")
    try await context.save()
  }

  func testAReferenceToWhatWasNeverSavedIsToldAsSuch() async throws {
    let nobody = context.insert(Person(name: "nobody"))
    item.owner = nobody
    context.discard(nobody.id.any)
    XCTAssertEqual(try context.conflicts().map(\.kind), [.unsavedTarget("owner")])
    guard case .refused(let refusal) = await refusal(of: context) else { return XCTFail("saved") }
    let conflicts = refusal.conflicts
    XCTAssertEqual(conflicts.map(\.kind), [.unsavedTarget("owner")])
    XCTAssertFalse("\(conflicts)".contains("deleted"))
    for conflict in conflicts { try context.resolve(conflict, with: .null) }
    XCTAssertEqual(try context.conflicts(), [])
    try await context.save()
  }

  func testAReferenceToWhatTheParentNeverSavedIsToldAsSuch() async throws {
    let nobody = context.insert(Person(name: "nobody"))
    let child = context.makeChild()
    try child.object(item.id).owner = try child.object(nobody.id)
    context.discard()
    XCTAssertEqual(try child.conflicts().map(\.kind), [.unsavedTarget("owner")])
    context.delete(person)
    child.discard()
    child.record(item.id.any, change(6, to: .reference(person.id.any)))
    XCTAssertEqual(try child.conflicts().map(\.kind), [.missingTarget("owner")])
  }

  // MARK: Verifying

  func testVerifyFindsValuesThatPropertiesCannotHold() async throws {
    for (slot, value, reason) in samples {
      // Which numbers and texts a type can hold is the program's own matter.
      guard let reason, reason != .outOfRange else { continue }
      for isInsertion in [false, true] {
        let test = try TestStore()
        let context = RootContext(test.store)
        let item = context.insert(Item(name: "old"))
        try await context.save()
        var values = Item.entity.defaults
        values[slot] = value
        let change = isInsertion ? (Item(name: "").id.any, .inserted(values)) : (item.id.any, change(slot, to: value))
        try test.store.appendUnchecked(change.0, change.1)
        let report = try await StoreMaintenance.verify(test.store)
        XCTAssertEqual(report.problems.count, 1, "\(report)")
        XCTAssertTrue(
          report.problems.first?.contains("Item.\(Item.entity.properties[slot].name)") ?? false, "\(report)")
      }
    }
  }
}

extension Store {
  /// Appends what no save lets pass.
  fileprivate func appendUnchecked(_ id: AnyObjectID, _ change: ObjectChange) throws {
    try environment.write { transaction in
      var appender = try TransactionAppender(tables, logID: logID, map: map, transaction.view)
      var state = HeadState(transaction.view, map, tables)
      let plan = try SavePlan([(id, change)], Merging(), map, over: &state)
      let request = SaveRequest(base: log.head, changes: [(id, change)])
      _ = try appender.append(plan, request, transaction)
      try appender.finish(transaction)
    }
  }
}
