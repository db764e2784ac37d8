import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import XCTest

@MainActor
final class LiveObjectTests: XCTestCase {
  func testAnObjectHasOneInstanceWhileItIsHeldAmongThousandsThatAreNot() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let ids = (0..<2_000).map { context.insert(Item(name: "\($0)")).id }
    try await context.save()
    let held = try stride(from: 0, to: 2_000, by: 100).map { try context.object(ids[$0]) }
    for id in ids { XCTAssertEqual(try context.object(id).id, id) }
    for item in held { XCTAssert(try context.object(item.id) === item) }
    XCTAssertEqual(held.map(\.name), stride(from: 0, to: 2_000, by: 100).map(String.init))
  }

  func testWhatWasDiscardedReadsAsBeforeWithoutALookAtTheStore() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let id = context.insert(Item(name: "one")).id
    try await context.save()
    let child = context.makeChild()
    let item = try child.object(id)
    item.name = "two"
    item.name = "three"
    item.valueInDollars = 7
    child.discard()
    XCTAssertEqual(item._storage.knownState, .live)
    XCTAssertEqual(item.name, "one")
    XCTAssertEqual(item.valueInDollars, 0)
  }

  func testADiscardShowsWhatTheParentHasByThen() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let below = context.insert(Item(name: "one"))
    try await context.save()
    let child = context.makeChild()
    let item = try child.object(below.id)
    item.name = "mine"
    below.name = "the parent's"
    XCTAssertEqual(item.name, "mine")
    child.discard()
    XCTAssertEqual(item.name, "the parent's")
    item.name = "mine"
    child.undo()
    below.name = "the parent's again"
    child.redo()
    child.discard()
    XCTAssertEqual(item.name, "the parent's again")
  }

  func testADiscardShowsWhatOthersSavedMeanwhile() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    context.followsHead = false
    let item = context.insert(Item(name: "one"))
    try await context.save()
    let other = RootContext(test.store)
    try other.object(item.id).name = "theirs"
    item.name = "mine"
    try await other.save()
    try context.refresh()
    XCTAssertEqual(item.name, "mine")
    context.discard()
    XCTAssertEqual(item.name, "theirs")
  }

  func testADiscardedInsertionOfWhatIsBelowAgainReadsAsItDoesThere() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let below = context.insert(Item(name: "one"))
    try await context.save()
    for discardsAll in [true, false] {
      let child = context.makeChild()
      let item = try child.object(below.id)
      context.delete(below)
      child.insert(item)
      context.undo()
      if discardsAll { child.discard() } else { child.discard(item) }
      XCTAssertEqual(item._storage.currentState, .live)
      XCTAssertEqual(item.name, "one")
      XCTAssert(try child.object(below.id) === item)
    }
  }

  func testADeletionThatTakesBackAnInsertionShowsWhatIsBelowAgain() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let below = context.insert(Item(name: "one"))
    try await context.save()
    let child = context.makeChild()
    let item = try child.object(below.id)
    context.delete(below)
    child.insert(item)
    context.undo()
    child.delete(item)
    XCTAssertFalse(child.hasChanges)
    XCTAssert(try child.object(below.id) === item)
    child.delete(item)
    XCTAssertThrowsError(try child.object(below.id))
    try child.save()
    XCTAssertThrowsError(try context.object(item.id))
  }
}
