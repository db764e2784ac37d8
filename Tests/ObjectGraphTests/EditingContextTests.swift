import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import XCTest

@MainActor
final class EditingContextTests: XCTestCase {
  func testAssignmentToAnObjectDeletedHereChangesNothing() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "one"))
    let person = context.insert(Person(name: "Ada"))
    try await context.save()
    context.delete(item)
    item.name = "two"
    item.owner = person
    XCTAssertEqual(item.name, "one")
    XCTAssertNil(item.owner)
    XCTAssertEqual(person.items.count, 0)
    XCTAssertEqual(context.changes.deleted, [item.id.any])
    XCTAssertEqual(context.changes.updated, [])
    context.undo()
    XCTAssertEqual(item.state, .live)
    XCTAssertEqual(item.name, "one")
  }

  func testAChildSaveThatCannotReadThrowsTheReason() async throws {
    let test = try TestStore()
    let first = RootContext(test.store)
    let item = first.insert(Item(name: "one"))
    try await first.save()
    let child = RootContext(test.store).makeChild()
    try child.object(item.id).name = "two"
    try test.store.damageRecords([item.id.any], XCTUnwrap(test.store.map.map(Item.entity.interned)))
    XCTAssertThrowsError(try child.save()) { error in
      guard case SaveError.store(.damaged) = error else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(child.changes.updated, [item.id.any])
  }

  func testResolvingAConflictMakesTheStepsOne() async throws {
    let test = try TestStore()
    let (_, _, second, mine) = try await test.conflictOfNames()
    let conflict = try XCTUnwrap(try second.conflicts().first)
    try second.refresh()
    try second.resolve(conflict, with: conflict.mine)
    XCTAssertEqual(try second.conflicts(), [])
    XCTAssertEqual(mine.name, "mine")
    second.undo()
    XCTAssertEqual(mine.name, "theirs", "undo must not revert what others saved")
    XCTAssertEqual(mine.valueInDollars, 0)
    XCTAssertFalse(second.canUndo)
    second.redo()
    XCTAssertEqual(mine.name, "mine")
    XCTAssertEqual(mine.valueInDollars, 7)
  }
}
