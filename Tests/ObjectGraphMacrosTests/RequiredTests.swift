import Reprise
import XCTest

#if Macros
@Model private final class Member {
  @Attribute(.required) var name: String
  @Attribute(.required) var email: String?
  @Attribute(.required, .range(0...120)) var age: Int?
  var note: String? = nil
  init(_ name: String) { self.name = name }
}

final class RequiredTests: XCTestCase {
  private func withContext(_ body: (RootContext) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "reprise-required-\(UniqueID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Member.self)
    try await body(RootContext(store))
    try await store.close()
  }

  func testASaveWithoutARequiredValueIsRefused() async throws {
    try await withContext { context in
      let member = context.insert(Member(""))
      do {
        try await context.save()
        XCTFail("it was saved")
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(refusal.violations.map(\.properties), [["name"], ["email"], ["age"]])
        XCTAssertEqual(refusal.violations.map(\.rule), [.required, .required, .required])
        XCTAssertEqual(refusal.violations[0].message, "has no name, which is required")
      }
      (member.name, member.email, member.age) = ("Ada", "ada@example.org", 0)
      try await context.save()
      member.email = ""
      XCTAssertEqual(try context.violations().map(\.properties), [["email"]])
      member.email = nil
      do {
        try await context.save()
        XCTFail("it was saved")
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(refusal.violations.map(\.properties), [["email"]])
      }
      member.email = " "
      member.age = 130
      do {
        try await context.save()
        XCTFail("it was saved")
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(refusal.violations.map(\.rule), [.range("0...120")])
      }
    }
  }
}
#endif
