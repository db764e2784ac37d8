import RepriseCore
import XCTest

/// A store tells what it has and no model names.
final class WarningTests: XCTestCase {
  func testARenameThatNobodyToldOfIsToldAtOpening() async throws {
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
    let store = try await test.open(Forgetful.self)
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
    let head = try await test.open(Employee.self).head
    do {
      _ = try await test.open(Forgetful.self, isStrict: true)
      XCTFail("opened strictly")
    } catch StoreError.notInModels {}
    let store = try await test.open(Employee.self)
    XCTAssertEqual(store.head, head)
    XCTAssertEqual(store.warnings, [])
    try await test.close()
  }
}
