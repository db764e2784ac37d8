import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Fields by names that are known only at run time.
final class NamedFieldTests: InventoryTestCase {
  func testWhatIsThere() throws {
    let value = try Field<Item, Int>(named: "valueInDollars")
    try expect([table, lamp]) { _ in value > 10 }
    let name = try Field<Item, String>(named: "owner.boss.name")
    XCTAssertEqual(Fetch<Item> { _ in name == "Ada" }, Fetch<Item> { $0.owner.boss.name == "Ada" })
    // Of an enum, the type that its values are stored as will do.
    XCTAssertEqual(try Field<Item, String>(named: "condition").term, Item.Fields(.root).condition.term)
    XCTAssertEqual(
      Fetch<Item>().sorted { _ in [value, name] }, Fetch<Item>().sorted { [$0.valueInDollars, $0.owner.boss.name] })
    let key = try SortKey<Item>(named: "owner.zip", isAscending: false, nils: .first)
    XCTAssertEqual(Fetch<Item>().sorted { _ in key }, Fetch<Item>().sorted { $0.owner.zip.descending(nils: .first) })
    XCTAssertEqual(try SortKey<Item>(named: "name"), Item.Fields(.root).name.ascending)
    let owner = try ToOneField<Item, Person>(named: "owner")
    let ada = ada
    XCTAssertEqual(Fetch<Item> { _ in owner == ada }, Fetch<Item> { $0.owner == ada })
    let items = try ToManyField<Item, Item>(named: "owner.items")
    XCTAssertEqual(Fetch<Item> { _ in items.count == 1 }, Fetch<Item> { $0.owner.items.count == 1 })
  }

  private func expect<Value>(
    _ expected: FetchError, at line: UInt = #line, _ make: @autoclosure () throws -> Value
  ) {
    XCTAssertThrowsError(try make(), line: line) { XCTAssertEqual($0 as? FetchError, expected, line: line) }
  }

  func testWhatIsNot() {
    expect(.unknownProperty(term: "title", entity: "Item", property: "title"), try Field<Item, Int>(named: "title"))
    expect(.unknownProperty(term: "", entity: "Item", property: ""), try Field<Item, Int>(named: ""))
    expect(
      .unknownProperty(term: "owner..zip", entity: "Person", property: ""), try Field<Item, Int>(named: "owner..zip"))
    expect(
      .unknownProperty(term: "owner.age", entity: "Person", property: "age"), try SortKey<Item>(named: "owner.age"))
    expect(
      .wrongType(term: "name", expected: "a text", found: "an integer"), try Field<Item, Int>(named: "name"))
    expect(.notAnAttribute(term: "owner", entity: "Item", property: "owner"), try Field<Item, Int>(named: "owner"))
    expect(
      .notAnAttribute(term: "owner.items", entity: "Person", property: "items"), try SortKey<Item>(named: "owner.items")
    )
    expect(
      .notToOne(term: "owner.items.name", entity: "Person", property: "items"),
      try Field<Item, String>(named: "owner.items.name"))
    expect(.notToOne(term: "name", entity: "Item", property: "name"), try ToOneField<Item, Person>(named: "name"))
    expect(.notToMany(term: "owner", entity: "Item", property: "owner"), try ToManyField<Item, Person>(named: "owner"))
    expect(
      .wrongType(term: "owner", expected: "an object of Person", found: "an object of Item"),
      try ToOneField<Item, Item>(named: "owner"))
    expect(
      .wrongType(term: "items", expected: "an object of Item", found: "an object of Person"),
      try ToManyField<Person, Person>(named: "items"))
  }
}
