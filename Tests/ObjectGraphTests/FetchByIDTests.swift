import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Fetches whose condition names objects look these up, and read no others: all others are unreadable here.
final class FetchByIDTests: XCTestCase {
  @MainActor
  func testNothingElseIsRead() async throws {
    let test = try TestStore()
    let writer = RootContext(test.store)
    let people = (0..<3).map { writer.insert(Person(name: "\($0)", zip: $0)) }
    let items = (0..<300).map { writer.insert(Item(name: "\($0)", valueInDollars: $0)) }
    for (index, item) in items.enumerated() { item.owner = people[index % 2] }
    try await writer.save()
    let (first, second) = (items[7].id, items[8].id)
    let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
    try test.store.damageRecords(items.filter { ![first, second].contains($0.id) }.map(\.id.any), map)
    let persons = try XCTUnwrap(test.store.map.map(Person.entity.interned))
    try test.store.damageRecords([people[0].id.any], persons)
    let context = RootContext(test.store)
    XCTAssertEqual(try context.fetch(Fetch<Item> { $0.id == first }).map(\.id), [first])
    XCTAssertEqual(try context.fetch(Fetch<Item> { $0.id.isIn([second, first]) }).map(\.id), [first, second])
    XCTAssertEqual(
      try context.fetch(Fetch<Item> { $0.id.isIn([second, first]) }.sorted { $0.valueInDollars.descending }.limit(1))
        .map(\.id), [second])
    XCTAssertEqual(try context.count(Fetch<Item> { $0.id == first || $0.id == second }), 2)
    XCTAssertEqual(try context.count(Fetch<Item> { $0.id == first && $0.valueInDollars != 7 }), 0)
    XCTAssertEqual(try context.fetch(Fetch<Item> { $0.id == Item(name: "").id }), [])
    XCTAssertEqual(try context.fetch(Fetch<Item> { _ in Condition(false) }), [])
    XCTAssertEqual(try context.fetch(Fetch<Person> { $0.items.contains(first) }).map(\.id), [people[1].id])
    XCTAssertEqual(try context.count(Fetch<Person> { $0.items.contains(first) }), 1)
    XCTAssertThrowsError(try context.fetch(Fetch<Person> { $0.items.contains(second) }))
    XCTAssertThrowsError(try context.fetch(Fetch<Item> { $0.id == items[9].id }))
    XCTAssertThrowsError(try context.fetch(Fetch<Item> { $0.id != first }))
  }

  @MainActor
  func testPendingObjectsAndPositionsBehindTheHead() async throws {
    let test = try TestStore()
    let root = RootContext(test.store)
    let other = RootContext(test.store)
    root.followsHead = false
    let ada = root.insert(Person(name: "Ada"))
    let bob = root.insert(Person(name: "Bob"))
    let chair = root.insert(Item(name: "chair"))
    chair.owner = ada
    try await root.save()
    try other.refresh()
    let child = root.makeChild()
    func owners(_ context: ObjectContext, of item: Item.ID) throws -> [Person.ID] {
      try context.fetch(Fetch<Person> { $0.items.contains(item) }).map(\.id)
    }
    func exists(_ context: ObjectContext, _ item: Item.ID) throws -> Bool {
      try context.count(Fetch<Item> { $0.id == item }) == 1
    }
    // Pending in the root, and in its child.
    let lamp = root.insert(Item(name: "lamp"))
    lamp.owner = bob
    XCTAssertEqual(try owners(root, of: lamp.id), [bob.id])
    XCTAssertEqual(try owners(child, of: lamp.id), [bob.id])
    XCTAssertEqual(try owners(other, of: lamp.id), [])
    try child.object(lamp.id).owner = child.object(ada.id)
    XCTAssertEqual(try owners(child, of: lamp.id), [ada.id])
    XCTAssertEqual(try owners(root, of: lamp.id), [bob.id])
    child.delete(try child.object(chair.id))
    XCTAssertFalse(try exists(child, chair.id))
    XCTAssertTrue(try exists(root, chair.id))
    // Behind the head.
    try other.object(chair.id).owner = other.object(bob.id)
    let desk = other.insert(Item(name: "desk"))
    try await other.save()
    XCTAssertEqual(try owners(other, of: chair.id), [bob.id])
    XCTAssertEqual(try owners(root, of: chair.id), [ada.id])
    XCTAssertFalse(try exists(root, desk.id))
    other.delete(try other.object(chair.id))
    try await other.save()
    XCTAssertFalse(try exists(other, chair.id))
    XCTAssertTrue(try exists(root, chair.id))
    try root.refresh()
    XCTAssertTrue(try exists(root, desk.id))
    XCTAssertFalse(try exists(root, chair.id))
  }

  /// Beyond a third of all objects the path is followed, which must find the same.
  @MainActor
  func testSoManyThatAScanIsCheaper() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let items = (0..<200).map { context.insert(Item(name: "\($0)", valueInDollars: $0)) }
    try await context.save()
    for count in [1, 64, 65, 66, 67, 199, 200] {
      let ids = items.prefix(count).map(\.id)
      let fetch = Fetch<Item> { $0.id.isIn(ids) }
      XCTAssertEqual(try context.fetch(fetch.sorted { $0.valueInDollars.descending }).map(\.id), ids.reversed())
      XCTAssertEqual(try context.count(fetch), count)
    }
  }
}
