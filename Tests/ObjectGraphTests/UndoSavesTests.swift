import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Undo and redo that go on with what was saved.
@MainActor
final class UndoSavesTests: XCTestCase {
  private var test: TestStore!
  private var context: RootContext!
  private var item: Item!

  override func setUp() async throws {
    test = try TestStore()
    context = try made()
    item = context.insert(Item(name: "0"))
    try await context.save("Add")
  }

  private func made() throws -> RootContext {
    let context = try RootContext(test.store, author: "Ada", draft: "undo")
    context.undoesSaves = true
    return context
  }

  /// As a new process finds it.
  private func kill() async throws {
    let id = item.id
    (item, context) = (nil, nil)
    try test.store.journal.flush()
    await test.store.abandon()
    try test.open()
    context = try made()
    item = try context.object(id)
  }

  private func rename(_ names: String...) async throws {
    for name in names {
      item.name = name
      try await context.save("To \(name)")
    }
  }

  func testWhoDoesNotAskForItUndoesWhatIsUncommittedOnly() async throws {
    try await rename("1")
    context.undoesSaves = false
    XCTAssertFalse(context.canUndo)
    XCTAssertNil(context.undoName)
    context.undo()
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(item.name, "1")
  }

  func testUndoGoesThroughUncommittedStepsAndThenThroughSaves() async throws {
    try await rename("1", "2")
    item.name = "typed"
    for (name, undo) in [("2", "To 2"), ("1", "To 1"), ("0", "Add")] {
      context.undo()
      XCTAssertEqual(item.name, name)
      XCTAssertEqual(context.undoName, undo)
    }
    for (name, redo) in [("1", "To 2"), ("2", nil as String?)] {
      XCTAssertTrue(context.canRedo)
      context.redo()
      XCTAssertEqual(item.name, name)
      XCTAssertEqual(context.redoName, redo)
    }
    context.redo()
    XCTAssertEqual(item.name, "typed")
    XCTAssertFalse(context.canRedo)
    context.undo()
    context.undo()
    XCTAssertEqual(item.name, "1")
    item.name = "other"
    XCTAssertFalse(context.canRedo)
    context.undo()
    XCTAssertEqual(item.name, "1")
    context.redo()
    XCTAssertEqual(item.name, "other")
  }

  func testEachUndoneSaveBecomesATransactionOfItsOwnAndCanBeRedone() async throws {
    try await rename("1", "2", "3")
    let before = test.store.log.head
    context.undo()
    context.undo()
    item.valueInDollars = 7
    let last = try await context.save()
    XCTAssertEqual(last, before + 3)
    let logged = try test.store.log.transactions(after: before)
    XCTAssertEqual(logged.map(\.undoes), [before, before - 1, nil])
    XCTAssertEqual(logged.map(\.name), ["To 3", "To 2", nil])
    // An edit was saved since.
    XCTAssertFalse(context.canRedo)
    context.undo()
    XCTAssertEqual(item.valueInDollars, 0)
    try await context.save()
    context.undo()
    XCTAssertEqual(item.name, "0", "what was undone is not undone again")
    context.redo()
    context.redo()
    XCTAssertEqual(item.valueInDollars, 7)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  func testUndoAndRedoGoOnAfterARelaunch() async throws {
    try await rename("1", "2", "3")
    context.undo()
    try await context.save()
    try await kill()
    XCTAssertEqual(context.undoName, "To 2")
    XCTAssertEqual(context.redoName, "To 3")
    context.undo()
    XCTAssertEqual(item.name, "1")
    // What is staged survives, and so does what it takes back.
    try await kill()
    XCTAssertEqual(item.name, "1")
    XCTAssertTrue(context.hasChanges)
    XCTAssertEqual(context.undoName, "To 1")
    XCTAssertEqual(context.redoName, "To 2")
    let head = test.store.log.head
    let saved = try await context.save()
    XCTAssertEqual(saved, head + 1)
    XCTAssertEqual(try test.store.log.transaction(at: saved)?.undoes, 4)
    context.redo()
    context.redo()
    XCTAssertEqual(item.name, "3")
    try await kill()
    XCTAssertEqual(item.name, "3")
    context.undo()
    XCTAssertEqual(item.name, "2")
    context.redo()
    try await context.save()
    XCTAssertFalse(context.canRedo)
    XCTAssertEqual(context.undoName, "To 3")
  }

  func testWhatIsStagedSurvivesACheckpointOfTheJournal() async throws {
    try await rename("1", "2")
    item.name = "typed"
    context.undo()
    context.undo()
    context.undo()
    try await test.store.journals.checkpoint()
    try await kill()
    XCTAssertEqual(item.name, "0")
    XCTAssertEqual(context.undoName, "Add")
    for name in ["1", "2", "typed"] {
      context.redo()
      XCTAssertEqual(item.name, name)
    }
    XCTAssertFalse(context.canRedo)
    context.undo()
    context.undo()
    let saved = try await context.save()
    XCTAssertEqual(try test.store.log.transaction(at: saved)?.undoes, 4)
  }

  func testTextsAreRedoneInOrderAfterAKill() async throws {
    let text = String(repeating: "long text ", count: 50)
    item.name = text
    try await context.save()
    item.name = text + "1"
    try await context.save()
    item.name = "0" + text + "1"
    context.undo()
    context.undo()
    try await kill()
    XCTAssertEqual(item.name, text)
    context.redo()
    XCTAssertEqual(item.name, text + "1")
    context.redo()
    XCTAssertEqual(item.name, "0" + text + "1")
  }

  func testRedoKeepsItsOrderOverSeveralProcesses() async throws {
    for isCheckpointed in [false, true] {
      try await rename("saved")
      context.group("First") { item.name = "first" }
      try await kill()
      context.group("Second") { item.name = "second" }
      for name in ["first", "saved", "0"] {
        context.undo()
        XCTAssertEqual(item.name, name)
      }
      if isCheckpointed { try await test.store.journals.checkpoint() }
      try await kill()
      for name in ["saved", "first", "second"] {
        XCTAssertEqual(context.redoName, ["saved": "To saved", "first": "First", "second": "Second"][name])
        context.redo()
        XCTAssertEqual(item.name, name, "\(isCheckpointed)")
      }
      context.discard()
      try await rename("0")
    }
  }

  func testOthersTransactionsStay() async throws {
    try await rename("1")
    let bob = RootContext(test.store, author: "Bob")
    try bob.object(item.id).valueInDollars = 9
    try await bob.save("Bob's")
    try context.refresh()
    XCTAssertEqual(context.undoName, "To 1")
    context.undo()
    try await context.save()
    XCTAssertEqual(item.name, "0")
    XCTAssertEqual(item.valueInDollars, 9)
    // What Bob takes back of Ada's is an edit of his.
    try bob.refresh()
    try bob.revert(transactionAt: 2, merging: .mine)
    try await bob.save()
    XCTAssertEqual(try test.store.log.undoable(by: "Bob").map(\.undoes), [2, nil])
    XCTAssertEqual(try test.store.log.undoable(by: "Ada"), [])
    XCTAssertEqual(try test.store.log.redoable(by: "Ada").count, 1)
    bob.undoesSaves = true
    bob.undo()
    try await bob.save()
    XCTAssertEqual(try test.store.log.redoable(by: "Bob").count, 1)
    XCTAssertEqual(try test.store.log.undoable(by: "Bob").map(\.name), ["Bob's"])
    XCTAssertEqual(try test.store.log.undoable(by: "Ada").map(\.name), ["Add"], "it is in effect again")
  }

  func testAnUndoThatLaterWorkForbidsSaysWhy() async throws {
    try await rename("1")
    let bob = RootContext(test.store, author: "Bob")
    try bob.object(item.id).name = "Bob's"
    let later = try await bob.save()
    try context.refresh()
    XCTAssertTrue(context.canUndo)
    context.undo()
    XCTAssertFalse(context.hasChanges)
    guard case .refused(let refusal) = context.undoFailure else { return XCTFail("no reason") }
    XCTAssertEqual(refusal.operation, .revert(3))
    XCTAssertEqual(refusal.transactions.map(\.value), [[later]])
    context.mergePolicy = .mine
    context.undo()
    XCTAssertNil(context.undoFailure)
    XCTAssertEqual(item.name, "0")
  }

  func testUndoTakesBackTheNamedStepOrNothing() async throws {
    try await rename("1")
    let pushed = context.insert(Item(name: "pushed")).id
    try await context.save("Push")
    let bob = RootContext(test.store, author: "Bob")
    bob.delete(try bob.object(pushed))
    try await bob.save("Delete")
    try context.refresh()
    XCTAssertEqual(context.undoName, "Push")
    context.undo()
    XCTAssertEqual(item.name, "1", "another step was taken back")
    XCTAssertFalse(context.hasChanges)
    guard case .nothingLeft(4) = context.undoFailure else { return XCTFail("another reason") }
    XCTAssertEqual(context.undoName, "To 1")
    context.undo()
    XCTAssertNil(context.undoFailure)
    XCTAssertEqual(item.name, "0")
    XCTAssertEqual(context.redoName, "To 1")
    context.redo()
    XCTAssertEqual(item.name, "1")
    XCTAssertEqual(context.undoName, "To 1")
    // What others save may bring it back.
    try bob.revert(transactionAt: 5)
    try await bob.save("Undelete")
    try context.refresh()
    XCTAssertEqual(context.undoName, "Push")
    context.undo()
    XCTAssertNil(context.undoFailure)
    XCTAssertEqual(try context.count(Fetch<Item> { $0.name == "pushed" }), 0)
  }

  func testRedoTakesUpTheNamedStepOrNothing() async throws {
    try await rename("1")
    let pushed = context.insert(Item(name: "pushed")).id
    try await context.save("Push")
    context.undo()
    try await context.save()
    context.undo()
    try await context.save()
    XCTAssertEqual(context.redoName, "To 1")
    let bob = RootContext(test.store, author: "Bob")
    try bob.object(item.id).name = "1"
    try await bob.save()
    try context.refresh()
    context.redo()
    XCTAssertFalse(context.hasChanges)
    guard case .nothingLeft = context.undoFailure else { return XCTFail("another step was taken up") }
    XCTAssertEqual(context.redoName, "Push")
    context.redo()
    XCTAssertNil(context.undoFailure)
    XCTAssertNotNil(try? context.object(pushed))
  }

  func testWithoutAnAuthorOnlyOwnSavesAreUndone() async throws {
    let main = RootContext(test.store)
    main.undoesSaves = true
    let named = RootContext(test.store, name: "editor")
    named.undoesSaves = true
    let own = main.insert(Item(name: "own"))
    try await main.save("Own")
    try named.refresh()
    let its = named.insert(Item(name: "named"))
    try await named.save("Named")
    try await test.store.write("Import") { _ = $0.insert(Item(name: "imported")) }
    try main.refresh()
    try named.refresh()
    XCTAssertEqual(main.undoName, "Own")
    XCTAssertEqual(named.undoName, "Named")
    main.undo()
    try await main.save()
    XCTAssertEqual(own.state, .deleted)
    XCTAssertFalse(main.canUndo, "the rest is of others")
    XCTAssertEqual(main.redoName, "Own")
    main.redo()
    try await main.save()
    XCTAssertEqual(main.undoName, "Own")
    // A name is known in the next launch, too.
    let later = RootContext(test.store, name: "editor")
    later.undoesSaves = true
    XCTAssertEqual(later.undoName, "Named")
    later.undo()
    XCTAssertThrowsError(try later.object(its.id))
    XCTAssertFalse(later.canUndo)
    let nameless = RootContext(test.store)
    nameless.undoesSaves = true
    XCTAssertFalse(nameless.canUndo)
  }

  func testAChildOfAStagedUndoSavesIntoIt() async throws {
    try await rename("1", "2")
    context.undo()
    let child = try context.makeChild(draft: "undo/child")
    let edited = try child.object(item.id)
    XCTAssertEqual(edited.name, "1")
    edited.valueInDollars = 4
    XCTAssertTrue(child.canUndo)
    try child.save("Value")
    XCTAssertEqual(context.undoName, "Value")
    let head = test.store.log.head
    try await context.save()
    XCTAssertEqual(try test.store.log.transactions(after: head).map(\.undoes), [head, nil])
    XCTAssertEqual(item.name, "1")
    XCTAssertEqual(item.valueInDollars, 4)
  }

  func testADiscardDropsWhatIsStaged() async throws {
    try await rename("1", "2")
    context.undo()
    context.undo()
    context.discard()
    XCTAssertEqual(item.name, "2")
    XCTAssertFalse(context.canRedo)
    XCTAssertEqual(context.undoName, "To 2")
    try await kill()
    XCTAssertEqual(item.name, "2")
    XCTAssertEqual(context.undoName, "To 2")
  }

  func testARefusedSaveOfSeveralTransactionsWritesNone() async throws {
    try await rename("1", "2")
    context.followsHead = false
    context.undo()
    context.undo()
    let bob = RootContext(test.store, author: "Bob")
    try bob.object(item.id).name = "Bob's"
    let head = try await bob.save()
    do {
      try await context.save()
      XCTFail("not refused")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts.count, 1)
      XCTAssertEqual(test.store.refreshedHeadOrZero, head)
      try context.resolve(refusal.conflicts[0], with: .string("0"))
    }
    let saved = try await context.save()
    XCTAssertEqual(saved, head + 1, "the change that was resolved is in the last of them")
    XCTAssertEqual(try test.store.log.transaction(at: saved)?.undoes, 3)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }
}

extension Store {
  fileprivate var refreshedHeadOrZero: Position { (try? refreshedHead()) ?? 0 }
}
