import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@MainActor
final class ContextTests: XCTestCase {
  func testWhatWasSavedIsThereForAnotherContext() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, author: "ada")
    let item = context.insert(Item(name: "Red chair"))
    let person = context.insert(Person(name: "Ada"))
    item.owner = person
    XCTAssertEqual(item.state, .inserted)
    XCTAssertEqual(person.items.count, 1)
    let position = try await context.save("Add chair")
    XCTAssertEqual(position, Position(2))
    XCTAssertEqual(item.state, .live)
    XCTAssertEqual(item.name, "Red chair")

    let other = RootContext(test.store)
    let same = try other.object(item.id)
    XCTAssertFalse(same === item)
    XCTAssertEqual(same.name, "Red chair")
    XCTAssertEqual(same.owner?.name, "Ada")
    XCTAssertEqual(same.owner?.items.map(\.name), ["Red chair"])
    XCTAssertEqual(try other.count(Fetch<Item>()), 1)
    XCTAssertEqual(try other.fetch(Fetch<Item> { $0.owner.name == "Ada" }).map(\.name), ["Red chair"])
  }

  func testDiscardLeavesExactlyTheParent() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, author: "ada")
    let item = context.insert(Item(name: "Red chair"))
    try await context.save()
    let editor = context.makeChild()
    let draft = try editor.object(item.id)
    draft.name = "Blue chair"
    XCTAssertEqual(item.name, "Red chair")
    editor.discard()
    XCTAssertEqual(draft.name, "Red chair")
    draft.name = "Green chair"
    try editor.save("Rename")
    XCTAssertEqual(item.name, "Green chair")
    XCTAssertEqual(context.undoName, "Rename")
    try await context.save("Rename")
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, "Green chair")
  }

  func testAContextStaysAtItsPositionUntilItIsRefreshed() async throws {
    let test = try TestStore()
    let writer = RootContext(test.store, author: "ada")
    let item = writer.insert(Item(name: "one"))
    try await writer.save()
    let reader = RootContext(test.store)
    reader.followsHead = false
    item.name = "two"
    try await writer.save()
    writer.delete(item)
    try await writer.save()
    XCTAssertEqual(try reader.object(item.id).name, "one")
    XCTAssertEqual(try reader.count(Fetch<Item>()), 1)
    XCTAssertEqual(try reader.fetch(Fetch<Item>()).count, 1)
    try reader.refresh()
    XCTAssertThrowsError(try reader.object(item.id))
    XCTAssertEqual(try reader.count(Fetch<Item>()), 0)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
    XCTAssertEqual(report.transactions, 4)
  }

  func testTwoWritersOfOneAttributeGetAConflictAsData() async throws {
    let test = try TestStore()
    let (first, item, second, mine) = try await test.conflictOfNames()
    do {
      try await second.save()
      XCTFail("no conflict")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts.count, 1)
      XCTAssertEqual(refusal.conflicts.first?.attribute, "name")
      XCTAssertEqual(refusal.conflicts.first?.base, .string("one"))
      XCTAssertEqual(refusal.conflicts.first?.mine, .string("mine"))
      XCTAssertEqual(refusal.conflicts.first?.theirs, .string("theirs"))
    }
    XCTAssertEqual(mine.name, "mine")
    XCTAssertTrue(second.hasChanges)
    for conflict in try second.conflicts() { try second.resolve(conflict, with: conflict.mine) }
    try await second.save()
    try first.refresh()
    XCTAssertEqual(item.name, "mine")
    XCTAssertEqual(item.valueInDollars, 7)
  }
}

extension TestStore {
  /// An item of which `second` has changed the name and the value. Then `first` has saved another name of it.
  @MainActor func conflictOfNames() async throws -> (first: RootContext, item: Item, second: RootContext, mine: Item) {
    let first = RootContext(store)
    let item = first.insert(Item(name: "one"))
    try await first.save()
    let second = RootContext(store)
    second.followsHead = false
    let mine = try second.object(item.id)
    mine.name = "mine"
    mine.valueInDollars = 7
    item.name = "theirs"
    try await first.save()
    return (first, item, second, mine)
  }
}
