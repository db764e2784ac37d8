import RepriseCore
import XCTest

/// A store tells what it has and no model names.
final class WarningTests: XCTestCase {
  func testARenameThatNobodyToldOfIsAWarningForAProgramThatOptsOut() async throws {
    let test = EvolvingStore()
    let first = RootContext(try await test.open(Employee.self, Point.self))
    XCTAssertEqual(first.store.warnings, [])
    first.insert(Employee(["salary": 100]))
    try await first.save()
    let expected: [SchemaWarning] = [
      .property("salary", entity: "Employee"), .property("nick", entity: "Employee"),
      .property("boss", entity: "Employee"), .property("staff", entity: "Employee"),
      .index("words of name", entity: "Employee"), .index("[boss, salary]", entity: "Employee"),
      .index("[nick]", entity: "Employee"), .entity("Point"),
    ]
    let store = try await test.open(Forgetful.self, checksRenames: false)
    XCTAssertEqual(store.warnings, expected)
    for warning in expected { XCTAssertTrue("\(warning)".hasSuffix("."), "\(warning)") }
    try await test.close()
    do {
      _ = try await test.open(Forgetful.self, isStrict: true)
      XCTFail("opened strictly")
    } catch StoreError.notInModels(let warnings) {
      XCTAssertEqual(warnings, expected)
    }
    // What was kept is there.
    let again = try await test.open(Employee.self, Point.self)
    XCTAssertEqual(again.warnings, [.property("pay", entity: "Employee")])
    XCTAssertEqual(try RootContext(again).fetch(Fetch<Employee>()).map { $0["salary"] }, [.int(100)])
    try await test.close()
  }

  func testARenameThatNobodyToldOfIsRefused() async throws {
    let test = EvolvingStore()
    let first = RootContext(try await test.open(Employee.self, Point.self))
    first.insert(Employee(["salary": 100]))
    try await first.save()
    let head = first.store.log.head
    do {
      _ = try await test.open(Forgetful.self, Point.self)
      XCTFail("the pay would be 7")
    } catch let error as StoreError {
      for word in ["Employee.pay", "salary", "was:"] { XCTAssertTrue("\(error)".contains(word), "\(error)") }
    }
    let again = try await test.open(Employee.self, Point.self)
    XCTAssertEqual(again.log.head, head)
    try await test.close()
  }

  func testARenamedModelThatNobodyToldOfIsRefused() async throws {
    let test = ShapedStore()
    try await test.open(ShapeA.named("Note", .attribute("title", String.self), .attribute("text", String.self))).close()
    do {
      _ = try await test.open(ShapeB.named("Memo", .attribute("title", String.self), .attribute("text", String.self)))
      XCTFail("the notes would be gone")
    } catch let error as StoreError {
      for word in ["Memo", "Note", "was:"] { XCTAssertTrue("\(error)".contains(word), "\(error)") }
    }
  }

  /// What is new and of another type, and what an older program lacks, is no rename.
  func testOnlyWhatMayBeARenameIsRefused() async throws {
    let test = ShapedStore()
    let old = { ShapeA.named("Note", .attribute("title", String.self), .attribute("stars", Int.self)) }
    try await test.open(old()).close()
    let numbered = { ShapeB.named("Note", .attribute("title", String.self), .attribute("ratio", Double.self)) }
    try await test.open(numbered()).close()
    try await test.open(old()).close()
    try await test.open(numbered()).close()
    let tag = ShapeC.named("Tag", .attribute("word", String.self))
    try await test.open(numbered(), tag).close()
    // A removal says what has become of it.
    let tidy = Migration(to: 1, "No titles", removing: [.attribute("title", of: "Note")])
    let texts = ShapeB.named("Note", .attribute("heading", String.self), .attribute("ratio", Double.self))
    try await test.open([texts, tag], [tidy]).close()
  }

  func testAnEntityWithReferencesIsStillRefused() async throws {
    let test = EvolvingStore()
    _ = try await test.open(Employee.self, Point.self)
    do {
      _ = try await test.open(Point.self)
      XCTFail("what employees refer to could be deleted")
    } catch StoreError.missingModels(let names, given: _) {
      XCTAssertEqual(names, ["Employee"])
    }
  }

  func testAStrictOpeningChangesNothing() async throws {
    let test = EvolvingStore()
    let head = try await test.open(Employee.self).log.head
    do {
      _ = try await test.open(Forgetful.self, isStrict: true)
      XCTFail("opened strictly")
    } catch StoreError.notInModels {}
    let store = try await test.open(Employee.self)
    XCTAssertEqual(store.log.head, head)
    XCTAssertEqual(store.warnings, [])
    try await test.close()
  }
}
