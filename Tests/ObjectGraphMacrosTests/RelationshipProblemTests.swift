#if Macros && canImport(SwiftSyntaxMacrosTestSupport)
import XCTest

/// Relationships that are not written as relationships are, each with its diagnostic.
final class RelationshipProblemTests: XCTestCase {
  private func check(
    _ property: String, _ message: String, _ remedies: (String, String)..., file: StaticString = #filePath,
    line: UInt = #line
  ) throws {
    func model(_ property: String) -> String { "@Model final class Item {\n  \(property)\n}" }
    try assertProblem(
      model(property), message, remedies: remedies.map { ($0.0, model($0.1)) }, file: file, line: line)
  }

  func testAToOneThatIsNotOptionalIsRefused() throws {
    for type in ["Person", "Person!"] {
      try check(
        "@Relationship var owner: ¶\(type)", "a to-one relationship must be optional: the other object may be deleted",
        ("change to 'Person?'", "@Relationship var owner: Person?"))
    }
  }

  func testARelationshipToAValueIsRefused() throws {
    try check(
      "¶@Relationship(deleteRule: .cascade) var name: String?",
      "'@Relationship' is for properties that hold models; 'String' makes an attribute",
      ("remove '@Relationship'", "var name: String?"))
    try check(
      "@Relationship var owner: ¶(Int, Int)?",
      "the type of a relationship is an optional model class, such as 'Folder?', or 'ToMany' of a model class")
  }

  func testAnArrayOfModelsIsRefused() throws {
    try check(
      "@Relationship var items: ¶[Item] = []", "a to-many relationship has the type 'ToMany<Item>'",
      ("change to 'ToMany<Item>'", "@Relationship var items: ToMany<Item>"))
    try check(
      "@Relationship var items: ¶Set<Item>", "a to-many relationship has the type 'ToMany<Item>'",
      ("change to 'ToMany<Item>'", "@Relationship var items: ToMany<Item>"))
  }

  func testAnAttributeMarkOnARelationshipIsRefused() throws {
    try check(
      "¶@Attribute(.indexed) var items: ToMany<Item>",
      "'@Attribute' is for attributes; a property of type 'ToMany' is a relationship",
      ("remove '@Attribute'", "var items: ToMany<Item>"))
  }

  func testAnOptionalToManyIsRefused() throws {
    try check(
      "var items: ¶ToMany<Item>?", "a to-many relationship cannot be optional: without members, it is empty",
      ("remove the optionality", "var items: ToMany<Item>"))
  }

  func testInitialValuesOfRelationshipsAreRefused() throws {
    try check(
      "var items: ToMany<Item> ¶= []", "a to-many relationship takes no initial value; insert objects into it",
      ("remove the initial value", "var items: ToMany<Item>"))
    try check(
      "@Relationship var owner: Person? ¶= Person()",
      "a to-one relationship takes no initial value; assign it in the initialiser",
      ("remove the initial value", "@Relationship var owner: Person?"))
    XCTAssertEqual(
      try Misuse("@Model final class Item { @Relationship var owner: Person? = nil }").diagnostics.map(\.message), [])
  }

  func testOptionsOfTheOtherKindAreRefused() throws {
    try check(
      "@Relationship(required: ¶true) var items: ToMany<Item>",
      "'required' is for to-one relationships; write 'minimum: 1' for a to-many")
    try check(
      #"@Relationship(inverse: \Item.items, mutual: ¶true) var items: ToMany<Item>"#,
      #"a mutual relationship is its own inverse: leave '\Item.items' out"#)
    try check(
      "@Relationship(minimum: ¶1) var owner: Person?",
      "'minimum' and 'maximum' are for to-many relationships; a to-one may be 'required'")
    try check("@Relationship(mutual: ¶true) var owner: Person?", "'mutual' is for to-many relationships")
  }

  func testInversesElsewhereOrNamedTwiceAreRefused() throws {
    try check(
      #"@Relationship(inverse: ¶\Maker.items) var owner: Person?"#,
      "the inverse of a relationship to 'Person' is a property of 'Person', not of 'Maker'")
    try check(
      #"@Relationship(inverse: ¶\Item.b) var a: Item?; @Relationship(inverse: \Item.a) var b: ToMany<Item>"#,
      "name the inverse at one end only: 'b' names this one already")
  }

  func testAnInverseThatCannotBeReadIsRefused() throws {
    let message = #"name the inverse as a key path of one property of the other model, as in '\Person.items'"#
    try check("@Relationship(inverse: ¶path) var owner: Person?", message)
    try check(#"@Relationship(inverse: ¶\Person.items.count) var owner: Person?"#, message)
    try check(#"@Relationship(inverse: ¶\.items) var items: ToMany<Item>"#, message)
    XCTAssertEqual(
      try Misuse(#"@Model final class Item { @Relationship(inverse: \Shop.Person.items) var owner: Shop.Person? }"#)
        .diagnostics.map(\.message), [])
  }
}
#endif
