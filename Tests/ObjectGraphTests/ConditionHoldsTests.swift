import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// `Condition.holds(for:)`; that it agrees with fetches over random edits is in `FetchRandomTests`.
final class ConditionHoldsTests: XCTestCase {
  func testDetachedObjectsAndWhatTheyLeadTo() throws {
    let (ada, bob) = (Person(name: "Ada", zip: 10), Person(name: "Bob", zip: 20))
    let (chair, table) = (Item(name: "chair"), Item(name: "table", valueInDollars: 5))
    chair.owner = ada
    table.owner = ada
    ada.boss = bob
    XCTAssertTrue(try Condition<Item> { $0.name == "chair" && $0.valueInDollars == 0 }.holds(for: chair))
    XCTAssertTrue(try Condition<Item> { $0.owner.boss.name == "Bob" && $0.owner.items.count == 2 }.holds(for: chair))
    XCTAssertTrue(try Condition<Item> { $0.id == chair.id && $0.owner == ada }.holds(for: chair))
    XCTAssertTrue(try Condition<Person> { $0.items.contains(chair) && $0.boss.reports.contains(ada) }.holds(for: ada))
    XCTAssertTrue(try Condition<Item> { $0.owner.items.any { $0.valueInDollars > 4 } }.holds(for: chair))
    XCTAssertFalse(try Condition<Person> { $0.items.contains(chair) }.holds(for: bob))
    XCTAssertTrue(try Condition<Person> { $0.boss == nil && $0.items.isEmpty }.holds(for: bob))
    chair.owner = nil
    XCTAssertTrue(try Condition<Item> { $0.owner.name == nil }.holds(for: chair))
  }

  @MainActor
  func testPendingValuesAndWhatIsDeleted() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let chair = context.insert(Item(name: "chair", valueInDollars: 3))
    let ada = context.insert(Person(name: "Ada"))
    try await context.save()
    let isDear = Condition<Item> { $0.valueInDollars > 10 && $0.owner.name == "Eve" }
    XCTAssertFalse(try isDear.holds(for: chair))
    chair.valueInDollars = 11
    chair.owner = ada
    ada.name = "Eve"
    XCTAssertTrue(try isDear.holds(for: chair))
    let child = context.makeChild()
    let mine = try child.object(chair.id)
    XCTAssertTrue(try isDear.holds(for: mine))
    mine.valueInDollars = 1
    XCTAssertFalse(try isDear.holds(for: mine))
    XCTAssertTrue(try isDear.holds(for: chair))
    context.delete(chair)
    XCTAssertFalse(try isDear.holds(for: chair))
    XCTAssertFalse(try Condition(true).holds(for: chair))
  }

  @MainActor
  func testWhatCannotBeReadIsThrown() async throws {
    let test = try TestStore()
    let writer = RootContext(test.store)
    let chair = writer.insert(Item(name: "chair"))
    let ada = writer.insert(Person(name: "Ada"))
    chair.owner = ada
    try await writer.save()
    let context = RootContext(test.store)
    let (mine, person) = (try context.object(chair.id), try context.object(ada.id))
    XCTAssertTrue(try Condition<Item> { $0.owner.name == "Ada" }.holds(for: mine))
    let persons = try XCTUnwrap(test.store.map.map(Person.entity.interned))
    try test.store.damageRecords([ada.id.any], persons)
    try context.refresh()
    let fresh = RootContext(test.store)
    let item = try fresh.object(chair.id)
    XCTAssertTrue(try Condition<Item> { $0.name == "chair" }.holds(for: item))
    XCTAssertThrowsError(try Condition<Item> { $0.owner.name == "Ada" }.holds(for: item)) {
      guard case FetchError.notReadable = $0 else { return XCTFail("\($0)") }
    }
    _ = person
    XCTAssertThrowsError(try Condition<Item> { $0.name.matches("(") }.holds(for: item)) {
      guard case FetchError.invalidPattern = $0 else { return XCTFail("\($0)") }
    }
  }
}
