import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

final class UniquenessTests: XCTestCase {
  private func testStore() throws -> TestStore {
    let test = try TestStore(Schema(Member.self, Team.self))
    addTeardownBlock { withExtendedLifetime(test) {} }
    return test
  }

  private func violations(of save: () async throws -> Void) async -> [RuleViolation] {
    do {
      try await save()
      return []
    } catch SaveError.refused(let refusal) {
      return refusal.violations
    } catch {
      XCTFail("\(error)")
      return []
    }
  }

  private func assertSound(_ store: Store, line: UInt = #line) async throws {
    let report = try await store.verify()
    XCTAssertEqual(report.problems, [], line: line)
  }

  // MARK: Saves into the log

  func testTheSecondOfTwoContextsWithOneValueIsRefused() async throws {
    let test = try testStore()
    let (mine, theirs) = (RootContext(test.store), RootContext(test.store))
    mine.followsHead = false
    let first = theirs.insert(Member("ada@x.org"))
    try await theirs.save()
    let second = mine.insert(Member("ada@x.org"))
    let violations = await violations { try await mine.save() }
    XCTAssertEqual(
      violations,
      [
        RuleViolation(
          object: second.id.any, properties: ["email"], values: [.string("ada@x.org")],
          rule: .unique(heldBy: first.id.any))
      ])
    XCTAssertEqual(try mine.violations(), violations)
    XCTAssertTrue(mine.hasChanges)
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Member>()), 1)
    second.email = "ada@y.org"
    XCTAssertEqual(try mine.violations(), [])
    try await mine.save()
    try await assertSound(test.store)
  }

  private func inserted(_ email: String) -> SaveRequest {
    var values = Member.entity.defaults
    values[0] = .string(email)
    let id = AnyObjectID(Member.entity.interned, UniqueID())
    return SaveRequest(base: 0, changes: [(id, .inserted(values))])
  }

  func testOfOneGroupCommitOnlyOneGetsTheValue() async throws {
    let test = try testStore()
    var requests = (0..<8).map { _ in inserted("same@x.org") }
    let results = try test.store.append(&requests) { [] }
    for (place, result) in results.enumerated() {
      switch result {
      case .success: XCTAssertEqual(place, 0)
      case .failure(.error(.refused(let refusal))):
        XCTAssertEqual(refusal.violations.map(\.rule), [.unique(heldBy: requests[0].changes[0].object)])
      case .failure(let error): XCTFail("\(error)")
      }
    }
    XCTAssertEqual(results.count, 8)
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Member> { $0.email == "same@x.org" }), 1)
    try await assertSound(test.store)
  }

  func testAValueThatAnEarlierSaveOfTheGroupFreedIsFree() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let holder = context.insert(Member("a@x.org"))
    try await context.save()
    let move = PropertyChange(slot: 0, old: .string("a@x.org"), new: .string("b@x.org"))
    var requests = [
      SaveRequest(base: 1, changes: [(holder.id.any, .updated([move]))]), inserted("a@x.org"), inserted("b@x.org"),
    ]
    let results = try test.store.append(&requests) { [] }
    XCTAssertNoThrow(try results[0].get())
    XCTAssertNoThrow(try results[1].get())
    guard case .failure(.error(.refused(let refusal))) = results[2] else { return XCTFail("not refused") }
    XCTAssertEqual(refusal.violations.map(\.rule), [.unique(heldBy: holder.id.any)])
    try await assertSound(test.store)
  }

  func testAnotherProcessHasTheValueAndThisOneHasNotReadIt() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    var values = Member.entity.defaults
    values[1] = .string("Straße")
    let id = AnyObjectID(Member.entity.interned, UniqueID())
    try test.store.appendAsAnotherProcess([(id, .inserted(values))])
    context.insert(Member(handle: "STRASSE"))
    let violations = await violations { try await context.save() }
    XCTAssertEqual(violations.map(\.rule), [.unique(heldBy: id)])
    XCTAssertEqual(violations.map(\.properties), [["handle"]])
  }

  func testAllViolationsOfASaveAreTold() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let team = context.insert(Team("A"))
    let first = context.insert(Member("a", handle: "h", number: 1))
    first.team = team
    try await context.save()
    let second = context.insert(Member("a", handle: "H", number: 1))
    second.team = team
    let third = context.insert(Member("b"))
    let fourth = context.insert(Member("b"))
    let violations = await violations { try await context.save() }
    XCTAssertEqual(violations.count, 4)
    XCTAssertEqual(
      Set(violations.map { "\($0.properties)" }), [#"["email"]"#, #"["handle"]"#, #"["team", "number"]"#])
    XCTAssertTrue(
      violations.contains {
        $0.object == fourth.id.any && $0.rule == .unique(heldBy: third.id.any)
          || $0.object == third.id.any && $0.rule == .unique(heldBy: fourth.id.any)
      })
    XCTAssertTrue(violations.contains { $0.values == [.reference(team.id.any), .int(1)] })
  }

  func testTwoObjectsExchangeTheirValues() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let (first, second) = (context.insert(Member("a")), context.insert(Member("b")))
    try await context.save()
    (first.email, second.email) = (second.email, first.email)
    try await context.save()
    XCTAssertEqual([first.email, second.email], ["b", "a"])
    try await assertSound(test.store)
  }

  func testTheValueOfADeletedObjectIsFreeInTheSameSaveAndLater() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let first = context.insert(Member("a"))
    try await context.save()
    context.delete(first)
    let second = context.insert(Member("a"))
    try await context.save()
    // Bringing the deleted one back breaks the rule.
    context.insert(first)
    let violations = await violations { try await context.save() }
    XCTAssertEqual(violations.map(\.object), [first.id.any])
    XCTAssertEqual(violations.map(\.rule), [.unique(heldBy: second.id.any)])
    context.delete(second)
    try await context.save()
    try await assertSound(test.store)
  }

  func testNilsAreNeverTheSame() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let team = context.insert(Team("A"))
    for _ in 0..<3 {
      context.insert(Member()).team = team
      context.insert(Member(number: 7))
    }
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Member> { $0.email == nil }), 6)
    try await assertSound(test.store)
  }

  /// Rows keep about 400 bytes of a text.
  func testLongTextsAreComparedAsAWhole() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let start = String(repeating: "long", count: 300)
    for end in ["a", "b", "c"] { context.insert(Member(start + end)) }
    try await context.save()
    context.insert(Member(start + "d"))
    try await context.save()
    context.insert(Member(start + "b"))
    let violations = await violations { try await context.save() }
    XCTAssertEqual(violations.count, 1)
    context.discard()
    for _ in 0..<2 { context.insert(Member(start + "e")) }
    let within = await self.violations { try await context.save() }
    XCTAssertEqual(within.count, 1)
    context.discard()
    try await assertSound(test.store)
  }

  func testCanonicallyEqualTextsAreTheSame() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    context.insert(Member("e\u{301}"))
    try await context.save()
    context.insert(Member("\u{E9}"))
    let violations = await violations { try await context.save() }
    XCTAssertEqual(violations.count, 1)
  }

  // MARK: Merges

  func testWhatAMergeMakesIsChecked() async throws {
    let test = try testStore()
    let (mine, theirs) = (RootContext(test.store), RootContext(test.store))
    mine.followsHead = false
    let team = theirs.insert(Team("A"))
    let first = theirs.insert(Member(number: 1))
    let second = theirs.insert(Member(number: 2))
    first.team = team
    try await theirs.save()
    try mine.refresh()
    // Neither change alone breaks the rule, and they are of different properties.
    try mine.object(second.id).number = 1
    second.team = team
    try await theirs.save()
    let violations = await violations { try await mine.save() }
    XCTAssertEqual(violations.map(\.object), [second.id.any])
    XCTAssertEqual(violations.map(\.values), [[.reference(team.id.any), .int(1)]])
  }

  func testNoPolicyBreaksARule() async throws {
    for policy in [MergePolicy.mine, .theirs, .overwrite, .rollBack, .custom { _ in .mine }] {
      let test = try testStore()
      let (mine, theirs) = (RootContext(test.store), RootContext(test.store))
      mine.followsHead = false
      let first = theirs.insert(Member("a"))
      try await theirs.save()
      try mine.refresh()
      try mine.object(first.id).visits = 1
      theirs.delete(first)
      theirs.insert(Member("a"))
      try await theirs.save()
      // `mine` and `overwrite` bring the object back.
      let violations = await violations { try await mine.save(merging: policy) }
      switch policy {
      case .theirs, .rollBack: XCTAssertEqual(violations, [])
      default: XCTAssertEqual(violations.map(\.object), [first.id.any])
      }
      try await assertSound(test.store)
    }
  }

  func testTheirsLeavesAValueThatMineWouldHaveTaken() async throws {
    let test = try testStore()
    let (mine, theirs) = (RootContext(test.store), RootContext(test.store))
    mine.followsHead = false
    let (first, second) = (theirs.insert(Member("a")), theirs.insert(Member("b")))
    try await theirs.save()
    try mine.refresh()
    try mine.object(first.id).email = "b"
    try mine.object(second.id).email = "c"
    second.email = "b2"
    first.email = "a2"
    try await theirs.save()
    try await mine.save(merging: .theirs)
    XCTAssertEqual(Set(try mine.fetch(Fetch<Member>()).map(\.email)), ["a2", "b2"])
  }

  // MARK: Children

  func testAChildIsCheckedAgainstItsParentsView() async throws {
    let test = try testStore()
    let parent = RootContext(test.store)
    let saved = parent.insert(Member("saved"))
    try await parent.save()
    let pending = parent.insert(Member("pending"))
    saved.email = "moved"
    let child = parent.makeChild()
    let own = child.insert(Member("pending"))
    XCTAssertEqual(try child.violations().map(\.rule), [.unique(heldBy: pending.id.any)])
    XCTAssertThrowsError(try child.save()) { error in
      guard case SaveError.refused(let refusal) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(refusal.violations.map(\.object), [own.id.any])
    }
    own.email = "moved"
    XCTAssertThrowsError(try child.save())
    // Free in the parent, though not in the log.
    own.email = "saved"
    try child.save()
    XCTAssertEqual(try parent.violations(), [])
    try await parent.save()
    let grandchild = child.makeChild()
    grandchild.insert(Member("SAVED", handle: "x"))
    child.insert(Member(handle: "X"))
    XCTAssertEqual(try grandchild.violations().map(\.properties), [["handle"]])
    try await assertSound(test.store)
  }

  func testAChildBehindTheHeadIsCheckedAtItsPosition() async throws {
    let test = try testStore()
    let parent = RootContext(test.store)
    parent.followsHead = false
    let other = RootContext(test.store)
    let theirs = other.insert(Member("a"))
    try await other.save()
    let child = parent.makeChild()
    child.insert(Member("a"))
    // Not seen yet: the save into the log refuses it.
    try child.save()
    let violations = await violations { try await parent.save() }
    XCTAssertEqual(violations.map(\.rule), [.unique(heldBy: theirs.id.any)])
  }

  // MARK: Drafts

  func testADraftWhoseValueWasTakenMeanwhileIsKeptAndItsSaveIsRefused() async throws {
    let test = try testStore()
    do {
      let root = try RootContext(test.store, draft: "root")
      root.insert(Member("a"))
      try await test.store.flush()
    }
    try await test.kill()
    let other = RootContext(test.store)
    let theirs = other.insert(Member("a"))
    try await other.save()
    let root = try RootContext(test.store, draft: "root")
    let violations = await violations { try await root.save() }
    XCTAssertEqual(violations.map(\.rule), [.unique(heldBy: theirs.id.any)])
    let mine = try XCTUnwrap(root.object(violations[0].object) as? Member)
    mine.email = "b"
    try await root.save()
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Member>()), 2)
  }

  // MARK: Undo

  func testUndoAndRedoOfAValueThatWasTakenMeanwhileAreCheckedAtTheSave() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let first = context.insert(Member("a"))
    try await context.save()
    first.email = "b"
    try await context.save()
    first.email = "c"
    let second = context.insert(Member("b"))
    XCTAssertEqual(try context.violations(), [])
    context.undo()
    context.undo()
    XCTAssertEqual(first.email, "b")
    context.redo()
    context.redo()
    try await context.save()
    XCTAssertEqual([first.email, second.email], ["c", "b"])
  }
}
