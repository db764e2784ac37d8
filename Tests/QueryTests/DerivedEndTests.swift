import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Links that the fetched object does not store itself, and links that lead to nothing.
final class DerivedEndTests: XCTestCase {
  func testTheDerivedEndOfAOneToOneReadsLikeTheStoredOne() throws {
    let (locked, spare) = (Lock(code: 1), Lock(code: 2))
    let bicycle = Bicycle(name: "B1")
    bicycle.lock = locked
    let source = try DetachedSource(
      Lock.self, Bicycle.self, Key.self, Shed.self, objects: [locked, spare, bicycle])
    XCTAssertEqual(try source.run(Fetch<Lock> { $0.bicycle.name == "B1" }), [locked.id.any])
    XCTAssertEqual(try source.run(Fetch<Lock> { $0.bicycle.name == nil }), [spare.id.any])
    XCTAssertEqual(try source.run(Fetch<Lock> { $0.bicycle == bicycle }), [locked.id.any])
    XCTAssertEqual(try source.run(Fetch<Lock> { $0.bicycle == nil }), [spare.id.any])
    XCTAssertEqual(try source.run(Fetch<Lock> { $0.bicycle.lock.bicycle == bicycle }), [locked.id.any])
    XCTAssertEqual(try source.run(Fetch<Bicycle> { $0.lock == locked }), [bicycle.id.any])
    // Only the stored end has an index.
    XCTAssertEqual(try source.compile(Fetch<Lock> { $0.bicycle == bicycle }).access, .scan)
    XCTAssertEqual(
      try source.compile(Fetch<Bicycle> { $0.lock == locked }).access, .inverse(slot: 1, targets: [locked.id.any]))
    XCTAssertTrue(try source.compile(Fetch<Lock> { $0.bicycle == nil }).readsOtherObjects)
  }

  func testALinkToAnObjectThatIsGoneReadsNil() throws {
    let (ada, gone) = (Person(name: "Ada"), Person(name: "Gone"))
    let (chair, lost) = (Item(name: "Chair"), Item(name: "Lost"))
    chair.owner = gone
    lost.owner = ada
    let source = try DetachedSource(Item.self, Person.self, objects: [ada, chair])
    XCTAssertEqual(try source.run(Fetch<Item> { $0.owner.name == nil }), [chair.id.any])
    XCTAssertEqual(try source.run(Fetch<Person> { $0.items.any { $0.name == "Lost" } }), [])
    XCTAssertEqual(try source.run(Fetch<Person> { $0.items.all { $0.name == "Chair" } }), [ada.id.any])
    XCTAssertEqual(try source.run(Fetch<Person> { !$0.items.any { !($0.name == "Chair") } }), [ada.id.any])
  }
}
