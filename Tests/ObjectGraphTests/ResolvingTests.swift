import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// What objects read, and what is saved, once a conflict is resolved.
@MainActor
final class ResolvingTests: XCTestCase {
  private var test: TestStore!
  private var context: RootContext!
  private var other: RootContext!
  private var item: Item!

  override func setUp() async throws {
    test = try TestStore()
    context = RootContext(test.store)
    context.followsHead = false
    item = context.insert(Item(name: "old"))
    try await context.save()
    other = RootContext(test.store)
    other.followsHead = false
  }

  private func saveAsOther(_ change: (Item) -> Void) async throws {
    change(try other.object(item.id))
    try await other.save()
  }

  func testWhatIsResolvedWithTheirsReadsSoInAContextThatStaysAtItsPosition() async throws {
    try await saveAsOther { $0.name = "theirs" }
    item.name = "mine"
    for conflict in try context.conflicts() { try context.resolve(conflict, with: conflict.theirs) }
    XCTAssertEqual(item.name, "theirs")
    XCTAssertFalse(context.hasChanges)
    try await context.save()
    XCTAssertEqual(item.name, "theirs")
  }

  func testTheRestOfAnObjectReadsAsTheyHaveItOnceAConflictIsResolved() async throws {
    try await saveAsOther {
      $0.name = "theirs"
      $0.valueInDollars = 7
    }
    item.name = "mine"
    for conflict in try context.conflicts() { try context.resolve(conflict, with: .string("both")) }
    XCTAssertEqual(item.name, "both")
    XCTAssertEqual(item.valueInDollars, 7)
    XCTAssertEqual(context.position, test.store.log.head)
    context.undo()
    XCTAssertEqual(item.name, "theirs")
  }

  func testChangesToWhatTheyDeletedAreLetGoOfWhenThatIsResolved() async throws {
    try await saveAsOther { other.delete($0) }
    item.name = "mine"
    let conflict = try XCTUnwrap(try context.conflicts().first)
    XCTAssertEqual(conflict.kind, .deletedByThem)
    try context.resolve(conflict, with: conflict.theirs)
    XCTAssertEqual(try context.conflicts(), [])
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(item.state, .deleted)
    try await context.save()
  }

  func testChangesToWhatTheParentDeletedAreLetGoOfWhenThatIsResolved() async throws {
    let child = context.makeChild()
    let same = try child.object(item.id)
    same.name = "mine"
    context.delete(item)
    for conflict in try child.conflicts() { try child.resolve(conflict, with: conflict.theirs) }
    XCTAssertEqual(try child.conflicts(), [])
    XCTAssertFalse(child.hasChanges)
    XCTAssertEqual(same.state, .deleted)
  }

  func testAnInsertionOfWhatTheySavedTooIsAChangeOfItWhenThatIsResolved() async throws {
    let id = Item(name: "twice").id
    var values = Item.entity.defaults
    values[0] = .string("theirs")
    values[1] = .int(7)
    try test.store.appendAsAnotherProcess([(id.any, .inserted(values))])
    values[0] = .string("mine")
    context.record(id.any, .inserted(values))
    let conflict = try XCTUnwrap(try context.conflicts().first)
    XCTAssertEqual(conflict.kind, .insertedTwice)
    try context.resolve(conflict, with: conflict.mine)
    XCTAssertEqual(try context.conflicts(), [])
    XCTAssertEqual(context.changes.updated, [id.any])
    try await context.save()
    let twice = try context.object(id)
    XCTAssertEqual(twice.name, "mine")
    XCTAssertEqual(twice.valueInDollars, 7)
  }
}
