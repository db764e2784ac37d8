import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// What there is to undo and to redo, in a context, in its child, and after a kill.
@MainActor
final class UndoTests: XCTestCase {
  private struct Refused: Error {}

  private var test: TestStore!
  private var context: RootContext!
  private var item: Item!

  override func setUp() async throws {
    test = try TestStore()
    context = try RootContext(test.store, draft: "undo")
    item = context.insert(Item(name: "one"))
    try await context.save()
  }

  /// As a new process finds it.
  private func kill() async throws {
    let id = item.id
    (item, context) = (nil, nil)
    try test.store.journal.flush()
    await test.store.abandon()
    try test.open()
    context = try RootContext(test.store, draft: "undo")
    item = try context.object(id)
  }

  // MARK: Saves of nothing

  func testASaveOfNothingKeepsRedo() async throws {
    context.group("Rename") { item.name = "two" }
    context.undo()
    try await context.save()
    XCTAssertTrue(context.canRedo)
    try await kill()
    context.redo()
    XCTAssertEqual(item.name, "two")
  }

  func testASaveOfNothingByAChildKeepsRedo() async throws {
    let child = try context.makeChild(draft: "undo/child")
    let same = try child.object(item.id)
    child.group("Rename") { same.name = "two" }
    child.undo()
    try child.save()
    XCTAssertTrue(child.canRedo)
    child.redo()
    XCTAssertEqual(same.name, "two")
  }

  func testASaveOfNothingKeepsTheStepsThatTakeEachOtherBack() async throws {
    context.group("There") { item.name = "two" }
    context.group("And back") { item.name = "one" }
    try await context.save()
    context.undo()
    XCTAssertEqual(item.name, "two")
  }

  // MARK: Steps of nothing

  func testAGroupThatChangesNothingIsNoStep() async throws {
    context.group("Insert and delete") { context.delete(context.insert(Item(name: "gone"))) }
    XCTAssertFalse(context.canUndo)
    context.group("There and back") {
      item.name = "two"
      item.name = "one"
    }
    XCTAssertFalse(context.canUndo)
    XCTAssertFalse(context.canRedo)
    context.undo()
    XCTAssertFalse(context.canRedo)
    try await kill()
    XCTAssertFalse(context.canUndo)
    XCTAssertFalse(context.canRedo)
  }

  func testAGroupThatChangesNothingLeavesTheStepsBeforeIt() async throws {
    context.group("Rename") { item.name = "two" }
    context.group("There and back") {
      item.valueInDollars = 1
      item.name = "three"
      item.name = "two"
      item.valueInDollars = 0
    }
    XCTAssertEqual(context.undoName, "Rename")
    try await kill()
    XCTAssertEqual(context.undoName, "Rename")
    XCTAssertFalse(context.canRedo)
    context.undo()
    XCTAssertEqual(item.name, "one")
  }

  func testAGroupOfWhichSomethingIsLeftIsAStep() {
    context.group("Two of them") {
      item.name = "two"
      item.name = "one"
      item.valueInDollars = 1
    }
    XCTAssertEqual(context.undoName, "Two of them")
    context.undo()
    XCTAssertEqual(item.valueInDollars, 0)
  }

  func testTypingThatEndsWhereItBeganIsNoStep() async throws {
    item.valueInDollars = 1
    for name in ["one1", "one12", "one1", "one"] { item.name = name }
    XCTAssertTrue(context.canUndo)
    for _ in 0..<2 {
      context.undo()
      XCTAssertEqual(item.valueInDollars, 0)
      XCTAssertFalse(context.canUndo)
      context.redo()
    }
    item.name = "one1"
    item.name = "one"
    item.name = "two"
    XCTAssertEqual(item.name, "two")
    try await kill()
    context.undo()
    XCTAssertEqual(item.name, "one")
    context.undo()
    XCTAssertEqual(item.valueInDollars, 0)
    XCTAssertFalse(context.canUndo)
  }

  func testAStepThatGivesAChangeAnotherBaseStays() throws {
    let child = context.makeChild()
    let same = try child.object(item.id)
    child.group("Rename") { same.name = "two" }
    item.name = "other"
    // The change ends, and the parent's value shows.
    same.name = "one"
    XCTAssertEqual(same.name, "other")
    same.name = "two"
    XCTAssertNil(child.undoName)
    XCTAssertEqual(try child.conflicts(), [])
    child.undo()
    XCTAssertEqual(child.undoName, "Rename")
    XCTAssertEqual(try child.conflicts().count, 1)
    child.group("Again") {
      same.name = "one"
      same.name = "two"
    }
    XCTAssertEqual(child.undoName, "Again")
    XCTAssertEqual(try child.conflicts(), [])
    try child.save()
    XCTAssertEqual(item.name, "two")
  }

  func testAChangeThatBeganAgainHasItsBaseAfterAKill() async throws {
    context.followsHead = false
    context.group("First") { item.valueInDollars = 7 }
    try await kill()
    context.followsHead = false
    let other = RootContext(test.store)
    try other.object(item.id).valueInDollars = 7
    try await other.save()
    try await context.refresh()
    // The change ends, and the other save's value shows.
    item.valueInDollars = 0
    XCTAssertEqual(item.valueInDollars, 7)
    context.breakUndoCoalescing()
    item.valueInDollars = 8
    XCTAssertEqual(try context.conflicts(), [])
    for checkpoints in [false, true] {
      if checkpoints { try await test.store.journals.checkpoint() }
      try await kill()
      XCTAssertEqual(item.valueInDollars, 8)
      XCTAssertEqual(try context.conflicts(), [])
    }
    for (value, conflicts) in [(7, 0), (7, 1), (7, 0)] {
      context.undo()
      try await kill()
      XCTAssertEqual(item.valueInDollars, value)
      XCTAssertEqual(try context.conflicts().count, conflicts)
    }
    XCTAssertFalse(context.canUndo)
  }

  func testNothingIsLeftToUndoOrRedoInALongDraftAfterAKill() async throws {
    for number in 1...3 { context.group("\(number)") { item.name = "\(number)" } }
    try await kill()
    item.valueInDollars = 1
    item.valueInDollars = 0
    XCTAssertEqual(context.undoName, "3")
    try await kill()
    XCTAssertEqual(context.undoName, "3")
    XCTAssertFalse(context.canRedo)
    for name in ["2", "1", "one"] {
      context.undo()
      XCTAssertEqual(item.name, name)
    }
    XCTAssertFalse(context.canUndo)
  }

  // MARK: Groups that throw

  func testAGroupThatThrowsTakesBackWhatItDid() async throws {
    item.valueInDollars = 7
    let new = Item(name: "new")
    let person = context.insert(Person(name: "Ada"))
    let steps = context.overlay.steps.count
    XCTAssertThrowsError(
      try context.group("Rename") {
        item.name = "half"
        item.owner = person
        context.insert(new)
        context.delete(person)
        throw Refused()
      })
    func check() {
      XCTAssertEqual(item.name, "one")
      XCTAssertNil(item.owner)
      XCTAssertEqual(item.valueInDollars, 7)
      XCTAssertEqual(context.changes.inserted, [person.id.any])
      XCTAssertEqual(context.overlay.steps.count, steps)
      XCTAssertFalse(context.canRedo)
    }
    check()
    XCTAssertEqual(new.state, .deleted)
    XCTAssertEqual(person.state, .inserted)
    XCTAssertEqual(person.items.count, 0)
    try await kill()
    check()
  }

  func testAGroupThatThrowsDuringASaveLeavesTheSaveAlone() async throws {
    item.name = "saved"
    let letGo = test.store.holdWriter()
    let save = Task { try await context.save() }
    while context.hasChanges && !context.changes.isEmpty { await Task.yield() }
    XCTAssertThrowsError(
      try context.group(nil) {
        item.name = "half"
        throw Refused()
      })
    XCTAssertEqual(item.name, "saved")
    letGo()
    _ = try await save.value
    XCTAssertFalse(context.canUndo)
    XCTAssertFalse(context.hasChanges)
    try await kill()
    XCTAssertEqual(item.name, "saved")
    XCTAssertFalse(context.canUndo)
    XCTAssertFalse(context.canRedo)
  }

  func testAGroupWithinOneThatThrowsIsTakenBackWithIt() {
    XCTAssertThrowsError(
      try context.group("Outer") {
        item.name = "two"
        try context.group("Inner") {
          item.valueInDollars = 1
          throw Refused()
        }
      })
    XCTAssertFalse(context.hasChanges)
    XCTAssertFalse(context.canUndo)
  }
}
