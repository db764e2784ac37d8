import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import XCTest

/// A few objects to fetch from, and what a test says about the result in one line.
class InventoryTestCase: XCTestCase {
  var ada = Person(name: "Ada", zip: 10)
  var bob = Person(name: "Bob", zip: 20)
  var eve = Person(name: "Ève", zip: 30)
  var chair = Item(name: "Red chair", valueInDollars: 10)
  var table = Item(name: "Table", valueInDollars: 200)
  var lamp = Item(name: "lamp", valueInDollars: 30)
  var ecole = Item(name: "E\u{301}cole", valueInDollars: 5)
  var orphan = Item(name: "", valueInDollars: -7)

  var objects: [any PersistentModel] { [ada, bob, eve, chair, table, lamp, ecole, orphan] }

  override func setUp() {
    ada = Person(name: "Ada", zip: 10)
    bob = Person(name: "Bob", zip: 20)
    eve = Person(name: "Ève", zip: 30)
    chair = Item(name: "Red chair", valueInDollars: 10)
    table = Item(name: "Table", valueInDollars: 200)
    lamp = Item(name: "lamp", valueInDollars: 30)
    ecole = Item(name: "E\u{301}cole", valueInDollars: 5)
    orphan = Item(name: "", valueInDollars: -7)
    chair.owner = ada
    table.owner = ada
    lamp.owner = bob
    ecole.owner = eve
    bob.boss = ada
    eve.boss = bob
    table.weight = 12.5
    lamp.weight = 1
    lamp.photo = [1, 2]
    chair.condition = .worn
    lamp.isInsured = true
  }

  func source() throws -> DetachedSource { try DetachedSource(Item.self, Person.self, objects: objects) }

  /// Names of the items for which the condition holds, in the order of their birth.
  func expect(
    _ expected: [Item], at line: UInt = #line, _ condition: (Item.Fields) -> Condition<Item>
  ) throws {
    let source = try source()
    let fetch = Fetch<Item>(condition)
    XCTAssertEqual(try source.run(fetch), expected.map(\.id.any).sorted(), line: line)
    let all = Set(try source.run(Fetch<Item>()))
    let complement = Set(try source.run(Fetch<Item> { !condition($0) }))
    XCTAssertEqual(complement, all.subtracting(expected.map(\.id.any)), "! is not the complement", line: line)
    let archived = try ArchivedForm.roundTrip(fetch)
    XCTAssertEqual(archived, fetch, line: line)
    XCTAssertEqual(archived.hashValue, fetch.hashValue, line: line)
    XCTAssertEqual(try source.run(archived), expected.map(\.id.any).sorted(), line: line)
  }

  func expect(
    _ expected: [Person], at line: UInt = #line, _ condition: (Person.Fields) -> Condition<Person>
  ) throws {
    let source = try source()
    XCTAssertEqual(try source.run(Fetch<Person>(condition)), expected.map(\.id.any).sorted(), line: line)
    let complement = Set(try source.run(Fetch<Person> { !condition($0) }))
    XCTAssertEqual(
      complement, Set(try source.run(Fetch<Person>())).subtracting(expected.map(\.id.any)),
      "! is not the complement", line: line)
    XCTAssertEqual(try ArchivedForm.roundTrip(Fetch<Person>(condition)), Fetch<Person>(condition), line: line)
  }
}
