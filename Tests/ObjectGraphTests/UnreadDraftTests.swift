import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseJournal
@testable import RepriseObjectGraph

/// A draft of many edits, which is read as far as somebody asks for what it changes.
@MainActor
final class UnreadDraftTests: XCTestCase {
  private var test: TestStore!
  private var items: [Item.ID] = []
  private var people: [Person.ID] = []
  private let count = 60

  /// Items 0, 1, 2 … with these values, each owned by one of three people.
  override func setUp() async throws {
    test = try TestStore { $0.wholeDraftLimit = 0 }
    let root = RootContext(test.store)
    let owners = ["Ada", "Ben", "Cleo"].map { root.insert(Person(name: $0)) }
    let all = (0..<count).map { number in
      let item = root.insert(Item(name: "item \(number)", valueInDollars: number))
      item.owner = owners[number % 3]
      return item
    }
    (items, people) = (all.map(\.id), owners.map(\.id))
    try await root.save("Load")
  }

  override func tearDown() async throws {
    await test.store.abandon()
    test = nil
  }

  private func editor() throws -> ChildContext {
    let root = test.store.mainContext
    try root.refresh()
    return try root.makeChild(draft: "editor")
  }

  /// Edits the value of each item, and leaves all of it in the tables.
  private func leave(_ body: (ChildContext) throws -> Void = { _ in }) async throws {
    do {
      let editor = try editor()
      for id in items { try editor.object(id).valueInDollars += 1_000 }
      try body(editor)
    }
    try await relaunch(closing: true)
  }

  private func relaunch(closing: Bool) async throws {
    let store = test.store
    try store.journal.write()
    if closing { try await store.journals.checkpoint() }
    await store.abandon()
    try test.open()
  }

  private func values(_ context: ObjectContext) throws -> [Int] {
    try items.map { try context.object($0).valueInDollars }
  }

  private var edited: [Int] { (0..<count).map { $0 + 1_000 } }

  private func unread(_ context: EditingContext) throws -> UnreadChanges {
    try XCTUnwrap(context.overlay.changes.unread)
  }

  func testItIsTakenUpWithoutReadingWhatIsNotShown() async throws {
    try await leave()
    let editor = try editor()
    XCTAssertTrue(editor.hasChanges)
    XCTAssertTrue(editor.canUndo)
    XCTAssertFalse(editor.canRedo)
    XCTAssertEqual(try editor.object(items[7]).valueInDollars, 1_007)
    XCTAssertEqual(try editor.object(items[7]).name, "item 7")
    // Whose items they are, the draft leaves alone.
    XCTAssertEqual(try editor.object(people[0]).items.count, count / 3)
    XCTAssertEqual(try editor.fetch(Fetch<Person>()).count, 3)
    XCTAssertFalse(try unread(editor).isWholeRead)
    XCTAssertEqual(try values(editor), edited)
    XCTAssertEqual(editor.changes.updated.count, count)
    XCTAssertTrue(try unread(editor).isWholeRead)
    XCTAssertEqual(editor.draftProblems, [])
  }

  func testItIsSavedAsAWhole() async throws {
    try await leave()
    let editor = try editor()
    XCTAssertEqual(try editor.object(items[3]).valueInDollars, 1_003)
    try editor.save("Raise")
    try await test.store.mainContext.save("Raise")
    XCTAssertEqual(try values(RootContext(test.store)), edited)
    try await relaunch(closing: true)
    XCTAssertFalse(try self.editor().hasChanges)
  }

  /// The rows of the first draft are in the tables until the next checkpoint.
  func testADraftThatBeganAgainHasNoEarlierEdits() async throws {
    // Several generations, so that one is equal to that of the edit below.
    for _ in 0..<4 { try await leave() }
    do {
      let editor = try editor()
      try editor.save("Raise")
      test.store.mainContext.discard()
    }
    try await relaunch(closing: false)
    try editor().object(items[0]).valueInDollars = 5
    try await relaunch(closing: false)
    XCTAssertEqual(try values(editor()), [5] + Array(1..<count))
  }

  func testADraftOfARootIsSavedIntoTheLog() async throws {
    do {
      let root = try RootContext(test.store, draft: "root")
      for id in items { try root.object(id).valueInDollars += 1_000 }
    }
    try await relaunch(closing: true)
    let root = try RootContext(test.store, draft: "root")
    XCTAssertFalse(try unread(root).isWholeRead)
    try await root.save("Raise")
    XCTAssertEqual(try values(RootContext(test.store)), edited)
    XCTAssertFalse(root.hasChanges)
    try await relaunch(closing: false)
    XCTAssertFalse(try RootContext(test.store, draft: "root").hasChanges)
  }

  func testUndoAndRedoGoAllTheWay() async throws {
    try await leave()
    let editor = try editor()
    for _ in items { editor.undo() }
    XCTAssertFalse(editor.canUndo)
    XCTAssertFalse(editor.hasChanges)
    XCTAssertEqual(try values(editor), Array(0..<count))
    try await relaunch(closing: true)
    let again = try self.editor()
    XCTAssertFalse(again.hasChanges)
    XCTAssertTrue(again.canRedo)
    for _ in items { again.redo() }
    XCTAssertEqual(try values(again), edited)
  }

  func testDiscardingLeavesNothing() async throws {
    try await leave()
    let editor = try editor()
    let shown = try editor.object(items[5])
    XCTAssertEqual(shown.valueInDollars, 1_005)
    let before = editor.projection
    editor.discard()
    XCTAssertFalse(editor.hasChanges)
    XCTAssertEqual(shown.valueInDollars, 5)
    try await test.store.journals.checkpoint()
    XCTAssertEqual(try values(editor), Array(0..<count))
    // Whoever still shows the moment before sees it as it was.
    XCTAssertEqual(before.values(of: items[9].any)?[1], .int(1_009))
    try await relaunch(closing: false)
    XCTAssertFalse(try self.editor().hasChanges)
  }

  func testEditsOnTopComeBackWithThoseBelowWhateverIsCheckpointed() async throws {
    try await leave()
    for closing in [false, true, false] {
      let editor = try editor()
      XCTAssertEqual(try values(editor).map { $0 % 1_000 }, Array(0..<count))
      let once = try editor.object(items[1]).valueInDollars
      try editor.object(items[1]).valueInDollars = once + 1_000
      try editor.object(items[2]).name += "!"
      editor.undo()
      try await relaunch(closing: closing)
    }
    let editor = try editor()
    XCTAssertEqual(try editor.object(items[1]).valueInDollars, 4_001)
    XCTAssertEqual(try editor.object(items[2]).name, "item 2")
    XCTAssertEqual(try editor.object(items[2]).valueInDollars, 1_002)
    for _ in 0..<3 { editor.undo() }
    XCTAssertEqual(try values(editor), edited)
    for _ in items { editor.undo() }
    XCTAssertEqual(try values(editor), Array(0..<count))
    XCTAssertFalse(editor.canUndo)
  }

  func testAKillBetweenACheckpointAndTheNextEditsLosesNeither() async throws {
    do {
      let editor = try editor()
      for id in items { try editor.object(id).valueInDollars += 1_000 }
      try await test.store.journals.checkpoint()
      // In the same step as the last one that is in the tables.
      try editor.object(items[count - 1]).valueInDollars += 5_000
      try editor.object(items[0]).valueInDollars = 0
      try editor.object(items[4]).owner = editor.object(people[2])
      _ = editor.insert(Item(name: "new", valueInDollars: 9))
      editor.delete(try editor.object(items[6]))
    }
    try await relaunch(closing: false)
    let editor = try editor()
    XCTAssertFalse(try unread(editor).isWholeRead)
    XCTAssertEqual(editor.overlay.steps.count, count + 4)
    XCTAssertEqual(try editor.object(items[count - 1]).valueInDollars, 6_000 + count - 1)
    XCTAssertEqual(try editor.object(items[0]).valueInDollars, 0)
    XCTAssertEqual(editor.changes.inserted.count, 1)
    XCTAssertEqual(editor.changes.deleted, [items[6].any])
    XCTAssertEqual(editor.changes.updated.count, count - 2)
    XCTAssertTrue(try editor.object(people[2]).items.contains { $0.id == items[4] })
    XCTAssertFalse(try editor.object(people[1]).items.contains { $0.id == items[4] })
    let names = try editor.fetch(Fetch<Item> { $0.valueInDollars < 1_000 }).map(\.name)
    XCTAssertEqual(Set(names), ["item 0", "new"])
    for _ in 0..<4 { editor.undo() }
    XCTAssertEqual(try editor.object(items[count - 1]).valueInDollars, 6_000 + count - 1)
    editor.undo()
    XCTAssertEqual(try editor.object(items[count - 1]).valueInDollars, count - 1)
  }

  func testAnUndoOfWhatIsInTheTablesComesBackAfterAKill() async throws {
    do {
      let editor = try editor()
      for id in items { try editor.object(id).valueInDollars += 1_000 }
      try await test.store.journals.checkpoint()
      for _ in 0..<3 { editor.undo() }
    }
    try await relaunch(closing: false)
    let editor = try editor()
    XCTAssertEqual(try values(editor), Array(edited.dropLast(3)) + Array((count - 3)..<count))
    editor.redo()
    XCTAssertEqual(try editor.object(items[count - 3]).valueInDollars, edited[count - 3])
  }

  func testAChildReadsAndSavesIntoIt() async throws {
    try await leave()
    let editor = try editor()
    let child = try editor.makeChild(draft: "editor/name")
    XCTAssertEqual(try child.object(items[8]).valueInDollars, 1_008)
    try child.object(items[8]).name = "eight"
    try child.save("Rename")
    XCTAssertEqual(try editor.object(items[8]).name, "eight")
    XCTAssertEqual(try editor.object(items[8]).valueInDollars, 1_008)
    try await relaunch(closing: false)
    let again = try self.editor()
    XCTAssertEqual(try again.object(items[8]).name, "eight")
    again.undo()
    XCTAssertEqual(try again.object(items[8]).name, "item 8")
    XCTAssertEqual(try values(again), edited)
  }

  func testConflictsAreFoundAndResolved() async throws {
    try await leave()
    let other = RootContext(test.store)
    try other.object(items[0]).valueInDollars = 77
    try await other.save("Other")
    let editor = try editor()
    let conflicts = try editor.conflicts()
    XCTAssertEqual(conflicts.map(\.object), [items[0].any])
    try editor.resolve(try XCTUnwrap(conflicts.first), with: .int(78))
    XCTAssertEqual(try values(editor), [78] + edited.dropFirst())
    try await relaunch(closing: true)
    XCTAssertEqual(try values(self.editor()), [78] + edited.dropFirst())
  }

  func testWhatIsPendingIsToldOfOneObjectWithoutReadingTheOthers() async throws {
    try await leave()
    let editor = try editor()
    let item = try editor.object(items[7])
    XCTAssertEqual(item.changedProperties, ["valueInDollars"])
    XCTAssertEqual(try item.committedValue(of: "valueInDollars"), .int(7))
    XCTAssertEqual(try editor.object(people[1]).changedProperties, [])
    XCTAssertFalse(try unread(editor).isWholeRead)
    item.valueInDollars = 7
    XCTAssertEqual(item.changedProperties, [])
    try editor.object(items[8]).name = "eight"
    XCTAssertEqual(try editor.object(items[8]).changedProperties, ["name", "valueInDollars"])
    XCTAssertFalse(try unread(editor).isWholeRead)
  }

  func testWhatDerivesFromUnreadEditsIsFoundAndSaved() async throws {
    test = try TestStore(Schema(Guest.self, Hotel.self)) { $0.wholeDraftLimit = 0 }
    let root = RootContext(test.store)
    let ids = ["Ada", "Ben", "Cleo"].map { root.insert(Guest($0, "Byron")).id }
    try await root.save()
    do {
      let editor = try editor()
      for id in ids.prefix(2) { try editor.object(id).last = "King" }
    }
    try await relaunch(closing: true)
    let editor = try editor()
    XCTAssertEqual(try editor.object(ids[0]).fullName, "Ada King")
    XCTAssertFalse(try unread(editor).isWholeRead)
    XCTAssertEqual(try editor.fetch(Fetch<Guest> { $0.fullName == "Ben King" }).map(\.id), [ids[1]])
    XCTAssertEqual(try editor.fetch(Fetch<Guest> { $0.fullName == "Ben Byron" }).count, 0)
    try editor.object(ids[0]).first = "ada"
    // What breaks a rule is found among unread edits, too.
    XCTAssertThrowsError(try editor.save()) { error in
      guard case SaveError.refused(let refusal) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(refusal.violations.map(\.properties), [["first"]])
    }
    editor.undo()
    try editor.save()
    try await test.store.mainContext.save()
    XCTAssertEqual(
      try RootContext(test.store).fetch(Fetch<Guest>().sorted { $0.first }).map(\.fullName),
      ["Ada King", "Ben King", "Cleo Byron"])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  func testAReversalThatIsStagedInADraftIsTakenUpWithTheSteps() async throws {
    var context = try RootContext(test.store, draft: "root")
    try context.object(items[0]).name = "first"
    let rename = try await context.save("Rename")
    // Something to redo, in the tables, below a reversal that is in the journal.
    try context.object(items[1]).name = "second"
    context.undo()
    try await test.store.journals.checkpoint()
    try context.revert(transactionAt: rename)
    for closing in [false, true] {
      context = RootContext(test.store)
      try await relaunch(closing: closing)
      context = try RootContext(test.store, draft: "root")
      XCTAssertNil(context.overlay.changes.unread)
      XCTAssertEqual(context.overlay.steps.reversalCount, 1)
      XCTAssertEqual(context.overlay.steps.lastReversal?.undoes, rename)
      XCTAssertEqual(try context.object(items[0]).name, "item 0")
      XCTAssertFalse(context.canRedo)
    }
    let undo = try await context.save()
    XCTAssertEqual(try test.store.log.transaction(at: undo)?.undoes, rename)
    XCTAssertFalse(context.hasChanges)
  }

  func testNothingIsHeldOfADraftThatWasSavedOrDiscarded() async throws {
    for saves in [true, false] {
      try await leave()
      let editor = try editor()
      weak let unread = try unread(editor)
      if saves { try editor.save() } else { editor.discard() }
      test.store.mainContext.discard()
      XCTAssertNil(editor.overlay.changes.unread)
      XCTAssertNil(unread)
      try await relaunch(closing: true)
    }
  }

  func testAReferenceThatTheDraftChangesIsFoundFromTheOtherEnd() async throws {
    try await leave { editor in
      for number in stride(from: 0, to: 30, by: 3) {
        try editor.object(self.items[number]).owner = try editor.object(self.people[1])
      }
    }
    let editor = try editor()
    XCTAssertEqual(try editor.object(people[1]).items.count, count / 3 + 10)
    XCTAssertEqual(try editor.object(people[0]).items.count, count / 3 - 10)
  }

  func testADamagedRowIsNoticedWhenItIsRead() async throws {
    try await leave()
    try test.store.damageDraftRow(of: items[11].any)
    let editor = try editor()
    XCTAssertEqual(try editor.object(items[12]).valueInDollars, 1_012)
    XCTAssertEqual(editor.draftProblems, [])
    XCTAssertEqual(try editor.object(items[11]).valueInDollars, 11)
    XCTAssertEqual(editor.draftProblems.count, 1)
  }

  func testADraftOfFewEditsIsReadAtOnce() async throws {
    try await leave()
    test = try TestStore()
    try await setUpAgain()
    try await leave()
    XCTAssertNil(try editor().overlay.changes.unread)
    XCTAssertEqual(try values(editor()), edited)
  }

  private func setUpAgain() async throws {
    let root = RootContext(test.store)
    let all = (0..<count).map { root.insert(Item(name: "item \($0)", valueInDollars: $0)) }
    items = all.map(\.id)
    try await root.save("Load")
  }
}
