#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

@Model final class Reader: ValidatableModel {
  @Attribute(.length(1...40), .pattern("\\S.*")) var first: String
  @Attribute(.length(1...40)) var last: String
  @Attribute(.range(0...120)) var age: Int?
  @Attribute(.valid("it has an @") { (text: String) in text.contains("@") }) var email: String?
  var joinedAt: Date
  var leftAt: Date?
  @Attribute(.derived, .indexed) var fullName: String { "\(last), \(first)" }

  init(_ first: String, _ last: String, joinedAt: Date) {
    self.first = first
    self.last = last
    self.joinedAt = joinedAt
  }

  func validate(_ violations: inout Violations<Reader>) {
    if let leftAt, leftAt < joinedAt { violations.add("leaves before joining", \.joinedAt, \.leftAt) }
  }
}

enum Membership: String, CaseAliasing {
  case standard, supporting
  static var caseAliases: [String: Membership] { ["basic": .standard, "gold": .supporting] }
}

final class RuleTests: ManualTestCase {
  func testRulesAndDerivedAttributes() async throws {
    let temporary = try await TemporaryStore(for: Reader.self)
    let context = temporary.store.mainContext
    let background = BackgroundContext(temporary.store)
    let reader = context.insert(Reader("Ada", "", joinedAt: .now))
    reader.age = 130
    reader.leftAt = .distantPast
    for violation in try context.violations() { print(violation.properties, violation.message) }
    XCTAssertEqual(try context.violations().map(\.properties), [["last"], ["age"], ["joinedAt", "leftAt"]])

    reader.last = "Lovelace"
    print(try context.fetch(Fetch<Reader> { $0.fullName == "Lovelace, Ada" }).count)  // 1
    XCTAssertEqual(try context.fetch(Fetch<Reader> { $0.fullName == "Lovelace, Ada" }), [reader])
    (reader.age, reader.leftAt) = (36, nil)
    try await context.save()

    try await background.updateDerived(Fetch<Reader>())
    XCTAssertEqual(Membership.from(.string("gold")), .supporting)
  }
}
#endif
