#if Macros
import Foundation
import Reprise
import XCTest

/// Objects of `@Model` classes before they are in any context.
final class DetachedModelTests: XCTestCase {
  func testAnInitialiserMayAssignInAnyOrderAndNothingIsLost() {
    let item = Item(name: "Chair", valueInDollars: 40)
    XCTAssertEqual(item.name, "Chair")
    XCTAssertEqual(item.valueInDollars, 40)
    XCTAssertEqual(item.state, .detached)
  }

  func testDefaultsAndNilAreThereWithoutAssignment() {
    let item = Item(name: "Chair")
    XCTAssertEqual(item.valueInDollars, 0)
    XCTAssertEqual(item.condition, .used)
    XCTAssertNil(item.serial)
    XCTAssertNil(item.photo)
    XCTAssertNil(item.owner)
    XCTAssertFalse(item.isShown)
    let settings = Settings()
    XCTAssertEqual(settings.volume, 0.5)
    XCTAssertTrue(settings.default)
    XCTAssertEqual(settings.longest, 86_400)
    XCTAssertEqual(settings.lowest, -20)
  }

  /// Objects of before the attributes were declared.
  func testNumbersWithEveryDigitAndTimesNeedNoDefault() async throws {
    let path = NSTemporaryDirectory() + "reprise-zero-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let before = try await Store.open(path, for: BareWork.self)
    let first = RootContext(before)
    first.insert(BareWork(name: "old"))
    try await first.save()
    try await before.close()
    let store = try await Store.open(path, for: Work.self)
    let context = RootContext(store)
    let old = try XCTUnwrap(try context.first(Fetch<Work> { $0.name == "old" }))
    XCTAssertEqual(old.price, 0)
    XCTAssertEqual(old.time, .zero)
    context.insert(Work(name: "new", price: 3, time: .seconds(3)))
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Work> { $0.price == 0 && $0.time < .seconds(1) }), 1)
    try await store.close()
  }

  func testATransientPropertyBeginsWithItsDefaultInObjectsThatAreRead() async throws {
    let path = NSTemporaryDirectory() + "reprise-transient-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Item.self, Person.self)
    let context = RootContext(store)
    let item = context.insert(Item(name: "Chair"))
    item.isShown = true
    try await context.save()
    XCTAssertTrue(item.isShown, "it belongs to the object in memory")
    XCTAssertTrue(try context.object(item.id) === item)
    let other = RootContext(store)
    let read = try other.object(item.id)
    XCTAssertFalse(read.isShown)
    read.isShown = true
    XCTAssertFalse(other.hasChanges)
    item.name = "Blue chair"
    try await context.save()
    try other.refresh()
    XCTAssertEqual(read.name, "Blue chair")
    XCTAssertTrue(read.isShown)
    try await store.close()
  }

  func testChangesStay() {
    let item = Item(name: "Chair")
    item.name = "Blue chair"
    item.valueInDollars += 5
    item.serial = "C-1"
    item.condition = .broken
    item.photo = [1, 2, 3]
    item.isShown = true
    XCTAssertEqual(item.title, "Blue chair (5)")
    XCTAssertEqual(item.serial, "C-1")
    XCTAssertEqual(item.condition, .broken)
    XCTAssertEqual(item.photo, [1, 2, 3])
    XCTAssertTrue(item.isShown)
    item.serial = nil
    XCTAssertNil(item.serial)
  }

  func testADefaultAssignedAgainIsNotSkipped() {
    let settings = Settings()
    settings.volume = 0.9
    settings.volume = 0.5
    XCTAssertEqual(settings.volume, 0.5)
    XCTAssertEqual(Item(name: "", valueInDollars: 0).name, "")
  }

  func testObjectsDoNotShareValues() {
    let (first, second) = (Item(name: "A"), Item(name: "B"))
    first.valueInDollars = 1
    XCTAssertEqual(second.valueInDollars, 0)
    XCTAssertEqual(second.name, "B")
  }

  func testAnAssignedToOneIsInTheInverse() {
    let (ada, bob) = (Person(name: "Ada"), Person(name: "Bob"))
    let chair = Item(name: "Chair", owner: ada)
    XCTAssertTrue(chair.owner === ada)
    XCTAssertEqual(ada.items.map(\.name), ["Chair"])
    chair.owner = bob
    XCTAssertTrue(ada.items.isEmpty)
    XCTAssertEqual(bob.items.count, 1)
    chair.owner = nil
    XCTAssertTrue(bob.items.isEmpty)
    XCTAssertNil(chair.owner)
  }

  func testAnInsertedMemberPointsBack() {
    let (ada, bob) = (Person(name: "Ada"), Person(name: "Bob"))
    let (chair, table) = (Item(name: "Chair"), Item(name: "Table"))
    ada.items.insert(table)
    ada.items.insert(chair)
    XCTAssertEqual(ada.items.map(\.name), ["Chair", "Table"])
    XCTAssertTrue(table.owner === ada)
    bob.items.insert(table)
    XCTAssertEqual(ada.items.map(\.name), ["Chair"])
    XCTAssertTrue(table.owner === bob)
    bob.items.remove(table)
    XCTAssertNil(table.owner)
    XCTAssertFalse(bob.items.contains(table))
  }

  func testARelationshipOfAModelWithItselfKeepsItsTwoEndsApart() {
    let (parent, child) = (Person(name: "Ada"), Person(name: "Anne"))
    child.parent = parent
    XCTAssertEqual(parent.children.map(\.name), ["Anne"])
    XCTAssertTrue(child.children.isEmpty)
    XCTAssertNil(parent.parent)
  }

  func testTheIDIsPermanentAndTyped() throws {
    let item = Item(name: "Chair")
    let id: Item.ID = item.id
    item.name = "Table"
    item.owner = Person(name: "Ada")
    XCTAssertEqual(item.id, id)
    XCTAssertEqual(id.any.entity, "Item")
    XCTAssertNotEqual(id, Item(name: "Chair").id)
    XCTAssertEqual(Person(name: "Ada").id.any.entity, "Human")
    XCTAssertNil(ObjectID<Person>(id.any))
  }

  func testASnapshotIsACopyThatCrosses() async {
    let ada = Person(name: "Ada")
    let item = Item(name: "Chair", owner: ada)
    let snapshot = item.snapshot
    item.name = "Table"
    item.owner = nil
    let name = await Task.detached { snapshot.name }.value
    XCTAssertEqual(name, "Chair")
    XCTAssertEqual(snapshot.id, item.id)
    XCTAssertEqual(snapshot.owner, ada.id)
    XCTAssertEqual(snapshot.condition, .used)
    XCTAssertNil(item.snapshot.owner)
  }
}

@Model("Work") private final class BareWork {
  var name: String
  init(name: String) { self.name = name }
}

@Model private final class Work {
  var name: String
  var price: Decimal
  var time: Duration
  init(name: String, price: Decimal, time: Duration) {
    self.name = name
    self.price = price
    self.time = time
  }
}
#endif
