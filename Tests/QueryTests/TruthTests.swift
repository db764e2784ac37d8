import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// A `Bool` attribute is a condition by itself.
final class TruthTests: InventoryTestCase {
  func testAFieldAlone() throws {
    try expect([lamp]) { Condition($0.isInsured) }
    try expect([chair, table, ecole, orphan]) { !$0.isInsured }
    XCTAssertEqual(Fetch<Item> { $0.isInsured }, Fetch<Item> { $0.isInsured == true })
    XCTAssertEqual(Fetch<Item>().filter { $0.isInsured }, Fetch<Item> { $0.isInsured == true })
    XCTAssertEqual(Fetch<Item> { !$0.isInsured }, Fetch<Item> { !($0.isInsured == true) })
  }

  func testAFieldAmongConditions() throws {
    chair.isInsured = true
    try expect([lamp]) { $0.isInsured && $0.valueInDollars > 10 }
    try expect([lamp]) { $0.valueInDollars > 10 && $0.isInsured }
    try expect([chair, table, lamp]) { $0.isInsured || $0.valueInDollars > 100 }
    try expect([chair, table, lamp]) { $0.valueInDollars > 100 || $0.isInsured }
    try expect([chair, lamp]) { $0.isInsured && $0.isInsured || $0.name == "x" }
    try expect([chair, lamp]) { $0.isInsured || $0.isInsured }
    try expect([table]) { !$0.isInsured && $0.valueInDollars > 100 }
    try expect([] as [Item]) { $0.isInsured && !$0.isInsured }
  }

  func testWhatIsNilIsNotTrueSoItsComplementHolds() throws {
    let field = Field<Person, Bool>(FieldPath.root.appending("isKnown"))
    XCTAssertEqual(!field, !(field == true))
    XCTAssertNotEqual(!field, field == false)
    let insured = Field<Item, Bool>(FieldPath.root.appending("owner").appending("flag"))
    XCTAssertEqual(!(!insured), insured == true)
    let (known, unknown, never) = (Guess(["isRight": true]), Guess(), Guess(["isRight": false]))
    let source = try DetachedSource(Guess.self, objects: [known, unknown, never])
    XCTAssertEqual(try source.run(Fetch<Guess> { $0.isRight }), [known.id.any])
    XCTAssertEqual(try source.run(Fetch<Guess> { !$0.isRight }), [unknown.id.any, never.id.any])
    XCTAssertEqual(try source.run(Fetch<Guess> { $0.isRight == false }), [never.id.any])
  }

  func testAFieldOfMembers() throws {
    try expect([bob]) { $0.items.any { $0.isInsured } }
    try expect([bob]) { $0.items.all { $0.isInsured } }
    try expect([ada, eve]) { $0.items.any { !$0.isInsured } }
  }

  func testAsManyConditionsAsThereAre() throws {
    try expect([chair, table, lamp, ecole, orphan]) { _ in .all([]) }
    try expect([] as [Item]) { _ in .any([]) }
    try expect([table]) { .all([$0.valueInDollars > 10, !$0.isInsured]) }
    try expect([table, lamp]) { .any([$0.valueInDollars > 100, Condition($0.isInsured)]) }
    try expect([lamp]) { .all([$0.name == "lamp"]) }
    let item = Item.Fields(.root)
    XCTAssertEqual(.all([item.name == "a", item.name == "b"]), item.name == "a" && item.name == "b")
    XCTAssertEqual(.any([item.name == "a", item.name == "b"]), item.name == "a" || item.name == "b")
    XCTAssertEqual(.all([Condition(true), item.name == "a"]), item.name == "a")
    XCTAssertEqual(.any([Condition(false), Condition(false)]), Condition<Item>(false))
  }

  /// Joined one by one, each would copy those before it: minutes instead of seconds.
  func testTwentyThousandConditionsAreOneLevel() throws {
    let item = Item.Fields(.root)
    let many = (0..<20_000).map { item.valueInDollars == $0 && item.name == "lamp" }
    try expect([lamp]) { _ in .any(many) }
    try expect([chair, table, ecole, orphan]) { _ in .all(many.map { !$0 }) }
  }
}

private final class Guess: TestModel {
  static let entity = Entity(Guess.self, name: "Guess", properties: [.attribute("isRight", Bool?.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  struct Fields: FieldSet {
    typealias Model = Guess
    let isRight: Field<Guess, Bool>
    init(_ path: FieldPath) { isRight = Field(path.appending("isRight")) }
  }
}
