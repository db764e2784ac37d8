import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// Assignments to objects that the context itself deleted, after the deletion was saved.
@MainActor
final class DeletedObjectTests: XCTestCase {
  private var test: TestStore!
  private var context: RootContext!
  private var item: Item!
  private var other: Item!

  override func setUp() async throws {
    test = try TestStore()
    context = RootContext(test.store)
    item = context.insert(Item(name: "one"))
    other = context.insert(Item(name: "other"))
    try await context.save("Add")
  }

  override func tearDown() async throws { (test, context, item, other) = (nil, nil, nil, nil) }

  private func assignEverywhere(to item: Item, _ owner: Person) throws {
    item.name = "two"
    item.owner = owner
    owner.items.insert(item)
    try item.set("name", to: .string("three"))
  }

  func testAssigningAfterTheDeletionWasSavedIsIgnored() async throws {
    let ada = context.insert(Person(name: "Ada"))
    context.delete(item)
    try await context.save("Delete")
    try assignEverywhere(to: item, ada)
    XCTAssertEqual(item.name, "one")
    XCTAssertEqual(item.state, .deleted)
    XCTAssertEqual(ada.items.count, 0)
    XCTAssertFalse(context.hasChanges)
    other.name = "edited"
    try await context.save("Edit")
    XCTAssertEqual(try RootContext(test.store).fetch(Fetch<Item>()).map(\.name), ["edited"])
  }

  func testWhatADeleteRuleDeletedIsOutOfReachToo() async throws {
    let ada = context.insert(Person(name: "Ada"))
    item.owner = ada
    try await context.save("Own")
    context.delete(ada)
    try await context.save("Delete")
    item.name = "two"
    XCTAssertFalse(context.hasChanges)
    try await context.save("Nothing")
  }

  func testAChildIgnoresAssignmentsAfterItSavedTheDeletion() async throws {
    let child = context.makeChild()
    let (inChild, otherInChild) = (try child.object(item.id), try child.object(other.id))
    child.delete(inChild)
    try child.save("Delete")
    for _ in 0..<2 {
      inChild.name = "two"
      item.name = "two"
      XCTAssertFalse(child.hasChanges)
      XCTAssertEqual(context.changes.updated, [])
      otherInChild.valueInDollars += 1
      try child.save("Edit")
      // Then the deletion is in the log.
      try await context.save("Delete")
      XCTAssertEqual(inChild.state, .deleted)
    }
    XCTAssertEqual(other.valueInDollars, 2)
  }

  func testADeletedObjectThatIsBackTakesAssignments() async throws {
    context.delete(item)
    try await context.save("Delete")
    item.name = "two"
    context.insert(item)
    item.name = "three"
    try await context.save("Insert again")
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, "three")
    context.delete(item)
    let deletion = try await context.save("Delete")
    XCTAssertEqual(item.state, .deleted)
    try context.stageReversal(of: deletion)
    item.name = "four"
    try await context.save("Undo")
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, "four")
  }

  func testEditsOfWhatOthersDeletedStayAConflict() async throws {
    try await test.store.write("Delete") { [id = item.id] in $0.delete(try $0.object(id)) }
    try context.refresh()
    item.name = "two"
    XCTAssertEqual(try context.conflicts().map(\.kind), [.deletedByThem])
  }
}
