import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

/// Saves of equal nils where nil equals nil.
final class EqualNilTests: EqualNilTestCase {
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
      case .failure(.error(.refused(let refusal))):
        XCTAssertEqual(refusal.violations.map(\.rule), [.unique(heldBy: requests[0].changes[0].object)])
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
}
