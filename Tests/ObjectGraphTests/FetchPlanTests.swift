import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// What `explain` says of fetches whose costs must not grow with the store.
final class FetchPlanTests: XCTestCase {
  @MainActor
  private func context(_ test: TestStore, of count: Int = 3000) async throws -> (RootContext, [Item], [Person]) {
    let context = RootContext(test.store)
    let people = (0..<10).map { context.insert(Person(name: "\($0)", zip: $0)) }
    let items = (0..<count).map { context.insert(Item(name: "\(10_000 + $0)", valueInDollars: $0 % 1000)) }
    for (index, item) in items.enumerated() { item.owner = people[index % 10] }
    try await context.save()
    return (context, items, people)
  }

  @MainActor
  func testFetchesVisitWhatTheyReturnAndLittleMore() async throws {
    let test = try TestStore()
    let (context, items, people) = try await context(test)
    func visits(_ fetch: Fetch<Item>) throws -> Int { try context.explain(fetch).visits }
    let byName = Fetch<Item>().sorted { $0.name }
    XCTAssertEqual(try visits(byName.limit(10)), 10)
    XCTAssertEqual(try visits(Fetch { $0.isInsured }.limit(0, offset: 5)), 0)
    XCTAssertEqual(try visits(byName.limit(10, offset: 2500)), 10)
    XCTAssertEqual(try visits(Fetch { $0.name.isIn(["10007", "12000", "none"]) }), 2)
    XCTAssertEqual(try visits(Fetch { $0.name == "10007" || $0.valueInDollars == 5 }), 4)
    XCTAssertEqual(try visits(Fetch { $0.name.hasPrefix("1000") && $0.owner == people[3] }), 10)
    XCTAssertEqual(try visits(Fetch { $0.owner.zip == 3 }), 300)
    XCTAssertEqual(try visits(Fetch { $0.id == items[5].id }), 1)
    XCTAssertEqual(try visits(Fetch { $0.name == "10007" && $0.name == "10008" }), 0)
    XCTAssertLessThan(try visits(byName.filter { $0.valueInDollars >= 500 }.limit(10)), 600)
    XCTAssertEqual(
      try context.explain(Fetch<Person> { $0.items.any { $0.name == "10007" } }).access,
      .collected(properties: ["Item.name", "Item.owner"]))
    // Most of the objects: their index is no way to find them.
    XCTAssertEqual(try context.explain(Fetch<Item> { $0.valueInDollars != 5 }).access, .scan)
  }

  @MainActor
  func testACountOfAllReadsNoObjectForPendingEdits() async throws {
    let test = try TestStore()
    let (context, items, _) = try await context(test, of: 200)
    for item in items.prefix(50) { item.weight = 2 }
    context.delete(items[60])
    _ = context.insert(Item(name: "new"))
    _ = context.insert(Item(name: "newer"))
    let map = try XCTUnwrap(context.store.map.map(Item.entity.interned))
    try context.store.damageRecords(items.filter { $0 !== items[60] }.map(\.id.any), map)
    XCTAssertEqual(try context.count(Fetch<Item>()), 201)
  }
}
