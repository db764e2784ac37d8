import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class DifferencesTests: XCTestCase {
  private let byValue = Fetch<Item> { $0.isInsured == false }.sorted { $0.valueInDollars.ascending }.limit(5)

  /// Two damaged records: one among the pending changes of the model that no row needs, one of another model.
  func testAFetchReadsPendingChangesOnceAndNotThoseOfOtherModels() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let items = (0..<300).map { context.insert(Item(name: "\($0)", valueInDollars: $0)) }
    let people = (0..<50).map { context.insert(Person(name: "\($0)")) }
    try await context.save()
    for item in items { item.weight = 1 }
    for person in people { person.zip = 7 }
    XCTAssertEqual(try context.fetchIDs(byValue), items.prefix(5).map(\.id))
    let maps = try [Item.entity, Person.entity].map { try XCTUnwrap(test.store.map.map($0.interned)) }
    try test.store.damageRecords([items[200].id.any], maps[0])
    try test.store.damageRecords(people.map(\.id.any), maps[1])
    XCTAssertEqual(try context.fetchIDs(byValue), items.prefix(5).map(\.id))
    items[3].valueInDollars = 1000
    items[250].valueInDollars = -1
    XCTAssertEqual(try context.fetchIDs(byValue), [items[250], items[0], items[1], items[2], items[4]].map(\.id))
    XCTAssertThrowsError(try context.fetchIDs(byValue.limit(300)))
  }

  func testManyEditsBetweenTwoFetchesAreAllSeen() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let items = (0..<1500).map { context.insert(Item(name: "\($0)", valueInDollars: $0)) }
    try await context.save()
    for item in items { item.weight = 1 }
    XCTAssertEqual(try context.fetchIDs(byValue), items.prefix(5).map(\.id))
    // More than a history remembers.
    for item in items { item.valueInDollars = -item.valueInDollars }
    XCTAssertEqual(try context.fetchIDs(byValue), items.suffix(5).reversed().map(\.id))
    let child = context.makeChild()
    try child.object(items[7].id).valueInDollars = -10_000
    XCTAssertEqual(try child.fetchIDs(byValue).first, items[7].id)
    child.undo()
    XCTAssertEqual(try child.fetchIDs(byValue).first, items.last?.id)
    try await context.save()
    XCTAssertEqual(try context.fetchIDs(byValue), items.suffix(5).reversed().map(\.id))
  }

  /// Not only along one index: the parts of an `or`, and what lies behind relationships, both ways.
  func testAFetchVisitsPendingChangesOnlyWhereTheyMayMatch() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let people = (0..<100).map { context.insert(Person(name: "a", zip: $0)) }
    let items = (0..<300).map { context.insert(Item(name: "\($0)", valueInDollars: $0)) }
    for (number, item) in items.enumerated() { item.owner = people[number % 100] }
    try await context.save()
    for item in items { item.weight = 1 }
    for person in people { person.name = "b" }
    items[7].valueInDollars = 1000
    items[8].owner = people[7]
    people[9].zip = 7
    func visits<Model: PersistentModel>(_ fetch: Fetch<Model>, _ found: Set<Model.ID>) throws -> Int {
      XCTAssertEqual(Set(try context.fetchIDs(fetch)), found)
      return try context.explain(fetch).visits
    }
    let ofSeven = Set([7, 107, 207, 8, 9, 109, 209].map { items[$0].id })
    XCTAssertEqual(
      try visits(Fetch<Item> { $0.valueInDollars > 999 || $0.name == "5" }, [items[5].id, items[7].id]), 2)
    XCTAssertEqual(try visits(Fetch<Item> { $0.valueInDollars.isIn([]) }, []), 0)
    XCTAssertEqual(try visits(Fetch<Item> { $0.owner.zip == 7 }, ofSeven), 7)
    XCTAssertEqual(try visits(Fetch<Item> { $0.owner.zip == 7 && $0.weight == 1 }, ofSeven), 7)
    XCTAssertEqual(
      try visits(Fetch<Person> { $0.items.any { $0.valueInDollars > 999 || $0.name == "8" } }, [people[7].id]), 2,
      "and the owner before the edit")
  }
}
