import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Taking back one transaction of the log, whoever saved it.
@MainActor
final class ReversalTests: XCTestCase {
  private var test: TestStore!
  private var context: RootContext!

  override func setUp() async throws { try made(Schema(Item.self, Person.self)) }

  private func made(_ schema: Schema) throws {
    test = try TestStore(schema)
    context = RootContext(test.store, author: "Ada")
  }

  private func assertSound(line: UInt = #line) async throws {
    let report = try await test.store.verify()
    XCTAssertEqual(report.problems, [], line: line)
  }

  private func failure(_ body: () throws -> Void) -> RevertError? {
    do {
      try body()
      return nil
    } catch {
      return error as? RevertError
    }
  }

  private func refusal(line: UInt = #line, _ body: () throws -> Void) throws -> SaveRefusal {
    guard case .refused(let refusal)? = failure(body) else { throw NotRefused(line: line) }
    return refusal
  }

  private struct NotRefused: Error { let line: UInt }

  // MARK: What comes back

  func testADeletedObjectComesBackWithItsIDAndWhatWentWithIt() async throws {
    let ada = context.insert(Person(name: "Ada"))
    let bob = context.insert(Person(name: "Bob"))
    let chair = context.insert(Item(name: "Chair"))
    chair.owner = ada
    bob.boss = ada
    try await context.save("Add")
    context.delete(ada)
    let deletion = try await context.save("Delete Ada")
    XCTAssertEqual(try context.count(Fetch<Item>()), 0)
    XCTAssertNil(bob.boss)

    XCTAssertTrue(try context.revert(transactionAt: deletion))
    XCTAssertEqual(try context.object(ada.id).name, "Ada")
    XCTAssertEqual(try context.object(chair.id).owner?.id, ada.id)
    XCTAssertEqual(bob.boss?.id, ada.id)
    let back = try await context.save()
    let logged = try XCTUnwrap(test.store.transaction(at: back))
    XCTAssertEqual(logged.undoes, deletion)
    XCTAssertNil(logged.supersedes)
    XCTAssertEqual(logged.name, "Delete Ada")
    XCTAssertEqual(Set(logged.inserted), [ada.id.any, chair.id.any])
    XCTAssertEqual(logged.updated, [bob.id.any])
    let fresh = RootContext(test.store)
    XCTAssertEqual(try fresh.object(ada.id).items.map(\.id), [chair.id])
    XCTAssertEqual(try fresh.object(ada.id).reports.map(\.id), [bob.id])
    try await assertSound()
  }

  func testTakingAReversalBackIsARedoThatNamesWhatIsInEffectAgain() async throws {
    let item = context.insert(Item(name: "one"))
    try await context.save("Add")
    item.name = "two"
    let rename = try await context.save("Rename")
    try context.revert(transactionAt: rename)
    let undo = try await context.save()
    XCTAssertEqual(item.name, "one")
    try context.revert(transactionAt: undo)
    let redo = try await context.save()
    XCTAssertEqual(item.name, "two")
    let redone = try XCTUnwrap(test.store.transaction(at: redo))
    XCTAssertEqual(redone.undoes, undo)
    XCTAssertEqual(redone.supersedes, rename)
    XCTAssertEqual(redone.name, "Rename")
    try context.revert(transactionAt: redo)
    let again = try await context.save("Once more")
    XCTAssertNil(try test.store.transaction(at: again)?.supersedes)
    XCTAssertEqual(try test.store.transaction(at: again)?.name, "Once more")
    try context.revert(transactionAt: again)
    let last = try await context.save()
    XCTAssertEqual(try test.store.transaction(at: last)?.supersedes, rename)
    XCTAssertEqual(item.name, "two")
    try await assertSound()
  }

  func testACounterLosesWhatWasAddedAndASetWhatWasInserted() async throws {
    try made(Schema(Tally.self))
    let tally = context.insert(Tally())
    try await context.save()
    tally.count += 5
    let addition = try await context.save()
    tally.count += 100
    try await context.save()
    try context.revert(transactionAt: addition)
    XCTAssertEqual(tally.count, 100)
    let reversal = try await context.save()
    tally.count += 1
    try await context.save()
    try context.revert(transactionAt: reversal)
    try await context.save()
    XCTAssertEqual(tally.count, 106)
    try await assertSound()
  }

  func testLinksAndPlacesComeBack() async throws {
    try made(Schema(Playlist.self, Song.self, Album.self))
    let list = context.insert(Playlist())
    let album = context.insert(Album("LP"))
    let songs = (0..<5).map { context.insert(Song("\($0)")) }
    for song in songs {
      list.songs.append(song)
      album.songs.append(song)
    }
    try await context.save()
    context.delete(songs[2])
    let deletion = try await context.save()
    list.songs.remove(songs[0])
    let removal = try await context.save()
    XCTAssertEqual(list.songs.map(\.name), ["1", "3", "4"])
    try context.revert(transactionAt: deletion)
    try await context.save()
    XCTAssertEqual(list.songs.map(\.name), ["1", "2", "3", "4"])
    XCTAssertEqual(album.songs.map(\.name), ["0", "1", "2", "3", "4"])
    try context.revert(transactionAt: removal)
    try await context.save()
    XCTAssertEqual(list.songs.map(\.name), ["0", "1", "2", "3", "4"])
    try await assertSound()
  }

  func testAnEditOfALongTextIsTakenBackBehindLaterOnesOfOtherProperties() async throws {
    try made(Schema(Note.self, Notebook.self))
    let text = String(repeating: "All work and no play. ", count: 500)
    let note = context.insert(Note(title: "Novel"))
    note.body = text
    try await context.save()
    note.body = text + "The end."
    let ending = try await context.save()
    for rank in 1...20 {
      note.rank = rank
      try await context.save()
    }
    try context.revert(transactionAt: ending)
    XCTAssertEqual(note.body, text)
    XCTAssertEqual(note.rank, 20)
    try await context.save()
    note.body = "Short."
    try await context.save()
    XCTAssertEqual(try refusal { try context.revert(transactionAt: ending) }.conflicts.count, 1)
  }

  // MARK: Later work

  func testLaterWorkIsNamedWithItsTransactions() async throws {
    let item = context.insert(Item(name: "one"))
    let other = context.insert(Item(name: "other"))
    try await context.save()
    item.name = "two"
    other.name = "other two"
    item.isInsured = true
    let change = try await context.save()
    let bob = RootContext(test.store, author: "Bob")
    let bobs = try bob.object(item.id)
    bobs.valueInDollars = 3
    try await bob.save()
    bobs.name = "three"
    let first = try await bob.save()
    bobs.name = "four"
    let second = try await bob.save()
    try bob.delete(bob.object(other.id))
    let deletion = try await bob.save()
    try context.refresh()

    let found = try refusal { try context.revert(transactionAt: change) }
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(
      found.conflicts,
      [
        Conflict(
          object: item.id.any, kind: .attribute("name"), base: .string("two"), mine: .string("one"),
          theirs: .string("four")),
        Conflict(object: other.id.any, kind: .deletedByThem),
      ])
    XCTAssertEqual(found.conflicts.map { found.transactions[$0] }, [[first, second], [deletion]])

    // One is left as it is, the other brought back.
    try context.revert(
      transactionAt: change,
      merging: .custom { conflict in conflict.kind == .deletedByThem ? .mine : .theirs })
    XCTAssertEqual(item.name, "four")
    XCTAssertFalse(item.isInsured)
    XCTAssertEqual(try context.object(other.id).name, "other")
    try await context.save()
    try await assertSound()
  }

  func testAnInsertedObjectThatOthersUsedIsNotDeletedWithoutAQuestion() async throws {
    let ada = context.insert(Person(name: "Ada"))
    let insertion = try await context.save()
    let bob = RootContext(test.store, author: "Bob")
    let chair = bob.insert(Item(name: "Chair"))
    chair.owner = try bob.object(ada.id)
    let use = try await bob.save()
    try context.refresh()
    let found = try refusal { try context.revert(transactionAt: insertion) }
    XCTAssertEqual(found.conflicts.map(\.kind), [.addedToDeleted("owner", .cascade)])
    XCTAssertEqual(found.transactions.map(\.value), [[use]])
    XCTAssertFalse(try context.revert(transactionAt: insertion, merging: .theirs))
    XCTAssertTrue(try context.revert(transactionAt: insertion, merging: .mine))
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Item>()) + context.count(Fetch<Person>()), 0)
    try await assertSound()
  }

  func testARefusalTellsConflictsAndBrokenRulesTogether() async throws {
    try made(Schema(Member.self, Team.self))
    let first = context.insert(Member("ada@x.org"))
    let other = context.insert(Member("bob@x.org"))
    try await context.save()
    context.delete(first)
    other.visits = 1
    let mixed = try await context.save()
    let second = context.insert(Member("ada@x.org"))
    other.visits = 5
    try await context.save()
    let refusal = try refusal { try context.revert(transactionAt: mixed) }
    XCTAssertEqual(refusal.operation, .revert(mixed))
    XCTAssertEqual(refusal.conflicts.map(\.attribute), ["visits"])
    XCTAssertEqual(refusal.violations.map(\.rule), [.unique(heldBy: second.id.any)])
    XCTAssertFalse(context.hasChanges)
  }

  func testAUniqueValueThatIsTakenByNowIsAViolation() async throws {
    try made(Schema(Member.self, Team.self))
    let first = context.insert(Member("ada@x.org"))
    try await context.save()
    context.delete(first)
    let deletion = try await context.save()
    let second = context.insert(Member("ada@x.org"))
    try await context.save()
    guard case .refused(let refusal) = failure({ try context.revert(transactionAt: deletion) }) else {
      return XCTFail("not refused")
    }
    XCTAssertEqual(refusal.operation, .revert(deletion))
    XCTAssertEqual(refusal.violations.map(\.rule), [.unique(heldBy: second.id.any)])
    XCTAssertFalse(context.hasChanges)
    second.email = "other@x.org"
    try await context.save()
    try context.revert(transactionAt: deletion)
    try await context.save()
    XCTAssertEqual(try context.object(first.id).email, "ada@x.org")
    try await assertSound()
  }

  func testASaveOfOthersAfterTheStagingIsAConflictOfTheSave() async throws {
    let item = context.insert(Item(name: "one"))
    try await context.save()
    item.name = "two"
    let change = try await context.save("Rename")
    context.followsHead = false
    try context.revert(transactionAt: change)
    let bob = RootContext(test.store, author: "Bob")
    try bob.object(item.id).name = "three"
    try await bob.save()
    do {
      try await context.save()
      XCTFail("not refused")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts.map(\.theirs), [.string("three")])
      try context.resolve(refusal.conflicts[0], with: .string("four"))
    }
    let saved = try await context.save()
    XCTAssertEqual(item.name, "four")
    let logged = try XCTUnwrap(test.store.transaction(at: saved))
    XCTAssertEqual(logged.undoes, change)
    XCTAssertEqual(logged.name, "Rename")
  }

  func testWhatSomebodyTookBackByHandIsNothingToTakeBack() async throws {
    let item = context.insert(Item(name: "one"))
    try await context.save()
    item.name = "two"
    let change = try await context.save()
    item.name = "one"
    try await context.save()
    XCTAssertFalse(try context.revert(transactionAt: change))
    XCTAssertFalse(context.hasChanges)
  }

  // MARK: Refusals

  func testReversalsAreNotMixedWithEdits() async throws {
    let item = context.insert(Item(name: "one"))
    let insertion = try await context.save()
    item.valueInDollars = 2
    guard case .uncommittedChanges = failure({ try context.revert(transactionAt: insertion) }) else {
      return XCTFail("not refused")
    }
    context.discard()
    context.group("In a group") {
      guard case .uncommittedChanges = failure({ try context.revert(transactionAt: insertion) }) else {
        return XCTFail("not refused")
      }
    }
    XCTAssertTrue(try context.revert(transactionAt: insertion))
    XCTAssertTrue(context.canUndo)
    context.undo()
    XCTAssertEqual(try context.object(item.id).name, "one")
    XCTAssertFalse(context.hasChanges)
  }

  func testWhatIsNoTransactionOfObjectsIsRefused() throws {
    let head = test.store.head
    for position in [0, head + 1] {
      guard case .notFound(position, head: head) = failure({ try context.revert(transactionAt: position) }) else {
        return XCTFail("not refused")
      }
    }
    guard case .irreversible(1, .noChanges) = failure({ try context.revert(transactionAt: 1) }) else {
      return XCTFail("not refused")
    }
  }

  func testWhatTheModelsLackIsRefused() async throws {
    try made(Schema(NewBicycle.self, NewShed.self))
    let (bicycle, gone) = (context.insert(NewBicycle(name: "one")), context.insert(NewBicycle(name: "gone")))
    try await context.save()
    bicycle.gears = 7
    gone.gears = 8
    let change = try await context.save()
    context.delete(gone)
    let deletion = try await context.save()
    bicycle.name = "two"
    let rename = try await context.save()
    context = nil
    await test.store.abandon()
    test.schema = Schema(OldBicycle.self, OldShed.self)
    try test.open()
    context = RootContext(test.store)
    for position in [change, deletion] {
      guard
        case .irreversible(position, .unknown("Bicycle", "gears")) = failure({
          try context.revert(transactionAt: position)
        })
      else { return XCTFail("not refused") }
    }
    XCTAssertTrue(try context.revert(transactionAt: rename))
    try await context.save()
    XCTAssertEqual(try context.fetch(Fetch<OldBicycle>()).map(\.name), ["one"])
  }
}
