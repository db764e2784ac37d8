import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import XCTest

private func inserted(_ email: String, visits: Int = 0) -> (object: AnyObjectID, change: ObjectChange) {
  var values = Member.entity.defaults
  values[0] = .string(email)
  values[3] = .int(Int64(visits))
  return (AnyObjectID(Member.entity.interned, UniqueID()), .inserted(values))
}

final class UpsertTests: XCTestCase {
  private func testStore() throws -> TestStore {
    let test = try TestStore(Schema(Member.self, Team.self))
    addTeardownBlock { withExtendedLifetime(test) {} }
    return test
  }

  func testWhatIsThereIsUpdatedAndWhatIsNotIsInserted() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let saved = context.insert(Member("saved", handle: "s"))
    try await context.save()
    let pending = context.insert(Member("pending"))
    func upsert(_ email: String, _ visits: Int) throws -> (object: Member, outcome: UpsertOutcome) {
      try context.upsert(by: \Member.email) { [$0.email.set(to: email), $0.visits.set(to: visits)] }
    }
    let first = try upsert("saved", 1)
    XCTAssertTrue(first.object === saved)
    XCTAssertEqual(first.outcome, .updated)
    XCTAssertEqual([saved.visits.description, saved.handle], ["1", "s"])
    let second = try upsert("pending", 2)
    XCTAssertTrue(second.object === pending)
    XCTAssertEqual(try upsert("pending", 2).outcome, .unchanged)
    let third = try upsert("new", 3)
    XCTAssertEqual(third.outcome, .inserted)
    XCTAssertEqual(third.object.visits, 3)
    XCTAssertTrue(try upsert("new", 4).object === third.object)
    // A value that moved on is where it is now.
    saved.email = "moved"
    XCTAssertEqual(try upsert("saved", 5).outcome, .inserted)
    XCTAssertTrue(try upsert("moved", 6).object === saved)
    context.undo()
    XCTAssertEqual(saved.visits, 1)
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Member>()), 4)
  }

  func testItIsFoundByACompoundAndUnderACollation() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let team = context.insert(Team("A"))
    let seventh = context.insert(Member("a", handle: "Ada", number: 7))
    seventh.team = team
    try await context.save()
    let byNumber = try context.upsert(by: \Member.number, \Member.team) {
      [$0.team.set(to: team.id), $0.number.set(to: 7), $0.visits.increase(by: 5)]
    }
    XCTAssertTrue(byNumber.object === seventh)
    XCTAssertEqual(seventh.visits, 5)
    let byHandle = try context.upsert(by: \Member.handle) { [$0.handle.set(to: "ADA")] }
    XCTAssertTrue(byHandle.object === seventh)
    XCTAssertEqual(seventh.handle, "ADA")
    let long = String(repeating: "l", count: 1_000)
    for end in ["1", "2", "1", "2"] { try context.upsert(by: \Member.email) { [$0.email.set(to: long + end)] } }
    XCTAssertEqual(try context.count(Fetch<Member>()), 3)
  }

  func testManyInOneStepAreOneForEachValue() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    context.insert(Member("0"))
    try await context.save()
    let counts = try context.upsert(0..<30, by: \Member.email, name: "Import") { member, number in
      [member.email.set(to: "\(number % 10)"), member.visits.set(to: number / 10)]
    }
    XCTAssertEqual([counts.inserted, counts.updated, counts.unchanged], [9, 20, 1])
    XCTAssertEqual(context.undoName, "Import")
    XCTAssertEqual(try context.count(Fetch<Member> { $0.visits == 2 }), 10)
    try await context.save()
    let again = try context.upsert(0..<30, by: \Member.email) { member, number in
      [member.email.set(to: "\(number % 10)"), member.visits.set(to: 2)]
    }
    XCTAssertEqual(again.unchanged, 30)
    XCTAssertFalse(context.hasChanges)
  }

  func testAChildFindsWhatItsParentHasNotSaved() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let pending = context.insert(Member("pending"))
    let child = context.makeChild()
    let found = try child.upsert(by: \Member.email) { [$0.email.set(to: "pending"), $0.visits.set(to: 1)] }
    XCTAssertEqual(found.object.id, pending.id)
    try child.save()
    XCTAssertEqual(pending.visits, 1)
  }

  func testWhatCannotBeUpsertedIsRefusedAndNothingChanges() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    func refusal(_ body: () throws -> Void) -> UpdateError? {
      do {
        try body()
      } catch let error as UpdateError {
        XCTAssertTrue(error.description.contains("Nothing was changed"), error.description)
        return error
      } catch {
        XCTFail("\(error)")
      }
      return nil
    }
    XCTAssertEqual(
      refusal { try context.upsert(by: \Member.visits) { [$0.visits.set(to: 1)] } },
      .notUnique(entity: "Member", properties: ["visits"]))
    XCTAssertEqual(
      refusal { try context.upsert(by: \Member.number) { [$0.number.set(to: 1)] } },
      .notUnique(entity: "Member", properties: ["number"]))
    XCTAssertEqual(
      refusal { try context.upsert(by: \Member.email) { [$0.visits.set(to: 1)] } },
      .missingKey(entity: "Member", properties: ["email"]))
    XCTAssertEqual(
      refusal { try context.upsert(by: \Member.email) { [$0.email.set(to: nil)] } },
      .missingKey(entity: "Member", properties: ["email"]))
    XCTAssertEqual(
      refusal { try context.upsert(by: \Member.state) { [$0.visits.set(to: 1)] } }, .unknownKeyPath(entity: "Member"))
    let gone = Team("gone").id
    XCTAssertEqual(
      refusal {
        try context.upsert(0..<2, by: \Member.email) { member, number in
          [member.email.set(to: "\(number)")] + (number == 1 ? [member.team.set(to: gone)] : [])
        }
      }, .missingTarget(gone.any))
    XCTAssertFalse(context.hasChanges)
  }

  func testAnImportInBatchesIsTheSameTheSecondTime() async throws {
    let test = try testStore()
    let background = BackgroundContext(test.store)
    let reports = Guarded<[UpsertProgress]>([])
    let first = try await background.upsert(
      0..<250, by: \Member.email, batchSize: 100, name: "Import",
      progress: { report in reports.withLock { $0.append(report) } }
    ) { member, number in [member.email.set(to: "\(number % 200)"), member.visits.set(to: number)] }
    XCTAssertEqual([first.counts.inserted, first.counts.updated], [200, 50])
    XCTAssertEqual([first.batches.saved, first.batches.batches], [250, 3])
    XCTAssertEqual(reports.withLock { $0 }.map(\.counts.inserted), [100, 200, 200])
    XCTAssertEqual(reports.withLock { $0 }.last, first)
    let head = test.store.log.head
    let second = try await background.upsert(50..<250, by: \Member.email) { member, number in
      [member.email.set(to: "\(number % 200)"), member.visits.set(to: number)]
    }
    XCTAssertEqual(second.counts.unchanged, 200)
    XCTAssertEqual(test.store.log.head, head)
  }

  func testABatchThatLosesARaceUpdatesWhatTheOthersInserted() async throws {
    let test = try testStore()
    let store = test.store
    let theirs = Guarded<[Int: AnyObjectID]>([:])
    let done = try await BackgroundContext(store).upsert(0..<20, by: \Member.email, batchSize: 10) { member, number in
      // The element before was looked up already, and was not there.
      if number % 10 == 5, theirs.withLock({ $0[number] }) == nil {
        let other = inserted("\(number - 1)", visits: 100)
        theirs.withLock { $0[number] = other.object }
        try store.appendAsAnotherProcess([other])
      }
      return [member.email.set(to: "\(number)"), member.visits.increase(by: 1)]
    }
    XCTAssertEqual([done.counts.inserted, done.counts.updated], [18, 2])
    let context = RootContext(store)
    XCTAssertEqual(try context.count(Fetch<Member>()), 20)
    for id in theirs.withLock({ $0 }).values {
      XCTAssertEqual((try context.object(id) as? Member)?.visits, 101)
    }
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [])
  }

  func testAnImportThatBreaksARuleByItselfIsRefusedAtOnce() async throws {
    let test = try testStore()
    let calls = Guarded(0)
    do {
      try await BackgroundContext(test.store).importObjects(of: 0..<3) { context, _ in
        calls.withLock { $0 += 1 }
        context.insert(Member("same"))
      }
      XCTFail("it was saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.violations.count, 2)
    }
    XCTAssertEqual(calls.withLock { $0 }, 3)
    // One that looks first does not.
    let store = test.store
    let done = try await BackgroundContext(store).importObjects(of: 0..<3) { context, number in
      _ = try context.findOrInsert(Fetch<Member> { $0.email == "\(number)" }) { Member("\(number)") }
      if number == 1, calls.withLock({ $0 }) == 3 {
        calls.withLock { $0 += 1 }
        try store.appendAsAnotherProcess([inserted("0")])
      }
    }
    XCTAssertEqual(done.saved, 3)
    XCTAssertEqual(try RootContext(store).count(Fetch<Member>()), 3)
  }

  func testALookUpVisitsOneObjectHoweverMuchIsPending() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    for number in 0..<2_000 { context.insert(Member("saved \(number)", handle: "S\(number)")) }
    try await context.save()
    for number in 0..<2_000 { context.insert(Member("pending \(number)")) }
    for fetch in [
      Fetch<Member> { $0.email == "saved 7" }, Fetch<Member> { $0.email == "pending 7" },
      Fetch<Member> { $0.handle.equals("s7", .ignoringCase) },
    ] {
      XCTAssertLessThanOrEqual(try context.explain(fetch.limit(1)).visits, 1)
      XCTAssertNotNil(try context.first(fetch))
    }
    XCTAssertNil(try context.first(Fetch<Member> { $0.email == "nobody" }))
    XCTAssertNil(try context.first(Fetch<Member>().limit(0)))
    XCTAssertThrowsError(try context.first(Fetch<Member>().limit(-5))) {
      XCTAssertEqual($0 as? FetchError, .negativeLimit(-5))
    }
  }
}
