import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import XCTest

/// Archives outlive models; nothing that one holds may stop the program.
final class FetchErrorTests: InventoryTestCase {
  private func expect(
    _ expected: FetchError, at line: UInt = #line, _ make: (Fetch<Item>) -> Fetch<Item>
  ) throws {
    let source = try source()
    XCTAssertThrowsError(try source.compile(make(Fetch<Item>())), line: line) { error in
      XCTAssertEqual(error as? FetchError, expected, line: line)
      XCTAssertTrue("\(error)".hasSuffix("."), "\(error)", line: line)
    }
  }

  private func field<Value>(_ names: String..., as type: Value.Type = String.self) -> Field<Item, Value> {
    Field(names.reduce(.root) { $0.appending($1) })
  }

  func testPropertiesThatAreNotThereOrOfAnotherType() throws {
    try expect(.unknownProperty(term: "title", entity: "Item", property: "title")) { fetch in
      fetch.filter { _ in self.field("title") == "a" }
    }
    try expect(.unknownProperty(term: "owner.age", entity: "Person", property: "age")) { fetch in
      fetch.sorted { _ in self.field("owner", "age").ascending }
    }
    try expect(.wrongType(term: "id", expected: "an object of Item", found: "a text")) { fetch in
      fetch.filter { _ in Field<Item, String>(.root) == "a" }
    }
    try expect(.wrongType(term: "valueInDollars", expected: "an integer", found: "a text")) { fetch in
      fetch.filter { _ in self.field("valueInDollars") == "a" }
    }
    try expect(.wrongType(term: "valueInDollars", expected: "an integer", found: "a text")) { fetch in
      fetch.filter { _ in self.field("valueInDollars").contains("1") }
    }
    try expect(.wrongType(term: "name", expected: "a text", found: "a truth value")) { fetch in
      fetch.filter { _ in self.field("name", as: Bool.self).isIn([true]) }
    }
    try expect(.wrongType(term: "name", expected: "a text", found: "an integer")) { fetch in
      fetch.filter { _ in self.field("name") == self.field("valueInDollars") }
    }
    try expect(.wrongType(term: "owner", expected: "an object of Person", found: "an object of Item")) { fetch in
      fetch.filter { _ in ToOneField<Item, Item>(FieldPath.root.appending("owner")) == self.chair }
    }
    try expect(.wrongType(term: "owner", expected: "an object of Person", found: "a text")) { fetch in
      fetch.filter { _ in self.field("owner") == "Ada" }
    }
  }

  func testPathsThatLeadThroughTheWrongThing() throws {
    try expect(.notToOne(term: "name.name", entity: "Item", property: "name")) { fetch in
      fetch.filter { _ in self.field("name", "name") == "a" }
    }
    try expect(.notToOne(term: "owner.items.name", entity: "Person", property: "items")) { fetch in
      fetch.filter { _ in self.field("owner", "items", "name") == "a" }
    }
    try expect(.notAnAttribute(term: "owner.items", entity: "Person", property: "items")) { fetch in
      fetch.filter { _ in self.field("owner", "items") == "a" }
    }
    try expect(.notToMany(term: "owner.count", entity: "Item", property: "owner")) { fetch in
      fetch.filter { _ in ToManyField<Item, Person>(FieldPath.root.appending("owner")).count == 1 }
    }
    try expect(.notToMany(term: "name", entity: "Item", property: "name")) { fetch in
      fetch.filter { _ in ToManyField<Item, Person>(FieldPath.root.appending("name")).any { $0.name == "a" } }
    }
  }

  func testOrdersThatCannotBe() throws {
    try expect(.notAnAttribute(term: "owner.items", entity: "Person", property: "items")) { fetch in
      fetch.sorted { _ in self.field("owner", "items").ascending }
    }
    try expect(.notAnAttribute(term: "owner", entity: "Item", property: "owner")) { fetch in
      fetch.sorted { _ in self.field("owner").ascending }
    }
    try expect(.notAnAttribute(term: "owner.boss", entity: "Person", property: "boss")) { fetch in
      fetch.sorted { _ in self.field("owner", "boss").ascending }
    }
    try expect(.notAnAttribute(term: "owner.boss", entity: "Person", property: "boss")) { fetch in
      fetch.sectioned { _ in self.field("owner", "boss").firstCharacter() }
    }
    try expect(.unknownProperty(term: "none", entity: "Item", property: "none")) { fetch in
      fetch.sectioned { _ in self.field("none").section }
    }
    try expect(.notAnAttribute(term: "owner", entity: "Item", property: "owner")) { fetch in
      fetch.sectioned { _ in self.field("owner").firstCharacter() }
    }
    try expect(.notAnAttribute(term: "owner", entity: "Item", property: "owner")) { fetch in
      fetch.sectioned { _ in self.field("owner").section(by: SectionRule("none") { $0 ?? "" }) }
    }
  }

  func testNumbersBelowZero() throws {
    try expect(.negativeLimit(-1)) { $0.limit(-1) }
    try expect(.negativeOffset(-2)) { $0.limit(1, offset: -2) }
  }

  func testAModelThatTheStoreWasOpenedWithout() throws {
    let schema = try ResolvedSchema(Schema(Photo.self))
    XCTAssertThrowsError(try CompiledFetch(Fetch<Item>(), schema: schema)) {
      XCTAssertEqual($0 as? FetchError, .unknownEntity("Item"))
    }
  }

  func testConditionsThatAreNotOne() throws {
    for steps in [[], [.and], [.constant(true), .constant(true)], [.constant(true), .or], [.not]] as [[Step]] {
      try expect(.malformedCondition) { fetch in fetch.filter { _ in Condition(steps: steps) } }
    }
  }

  func testDamagedArchivesAreErrorsOfTheirOwn() throws {
    let step = #"{"entity":"Item","where":[{"op":"==","term":{"path":["name"]}"#
    for text in ["{}", step + "}]}"] {
      XCTAssertThrowsError(try ArchivedForm.read(text, as: Fetch<Item>.self), text) {
        XCTAssertTrue($0 is DecodingError, "\($0)")
      }
    }
    let problems = [
      #"{"entity":"Person"}"#: "the archived fetch is of 'Person', not of 'Item'",
      #"{"entity":"Item","where":[]}"#: "the decoded data is not one complete condition",
      #"{"entity":"Item","where":[{"op":"&&"}]}"#: "the decoded data is not one complete condition",
      #"{"entity":"Item","where":[{"op":"~","term":{"path":["name"]}}]}"#: "'~' is not an operator of conditions",
      step + #","value":{"string":"a","int":1}}]}"#: "expected one key that names the kind of a value",
      step + #","value":{}}]}"#: "expected one key that names the kind of a value",
      #"{"entity":"Item","where":[{"op":"contains","term":{"path":["name"]},"text":"a","options":6}]}"#:
        "an unknown text option",
      #"{"entity":"Item","section":{"term":{"path":["name"]},"function":"mood"}}"#: "'mood' is not a rule for sections",
    ]
    for (text, problem) in problems {
      XCTAssertEqual(ArchivedForm.problem(of: text, as: Fetch<Item>.self), problem, text)
    }
  }
}
