#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

final class ModellingTests: ManualTestCase {
  func testAttributesKeepTheirValuesAndTransientOnesDoNot() async throws {
    let store = try await makeStore()
    let context = store.mainContext
    let book = Book("Invisible Cities", year: 1972)
    book.status = .lent
    XCTAssertEqual(book.state, .detached)
    context.insert(book)
    XCTAssertEqual(book.state, .inserted)

    book.size = Size(height: 20.3, width: 13.3)
    book.marks.insert("to read again")
    book.isSelected = true
    try await context.save()

    let read = try await relaunch().mainContext.object(book.id)
    XCTAssertEqual(read.status, .lent)
    XCTAssertEqual(read.size, Size(height: 20.3, width: 13.3))
    XCTAssertEqual(read.marks, ["to read again"])
    XCTAssertFalse(read.isSelected)
  }

  func testUniqueAttributes() async throws {
    let store = try await makeStore()
    let context = store.mainContext
    context.insert(Book("Invisible Cities", year: 1972)).isbn = "978-0-15-645380-6"
    context.insert(Book("Le città invisibili", year: 1972)).isbn = "978-0-15-645380-6"
    var found: [RuleViolation] = []
    do {
      try await context.save()
    } catch SaveError.refused(let refusal) {
      for violation in refusal.violations { print(violation.object, violation.properties, violation.rule) }
      found = refusal.violations
    }
    XCTAssertEqual(found.first?.properties, ["isbn"])
    context.discard()

    let (genre, outcome) = try context.upsert(by: \Genre.name) { [$0.name.set(to: "Utopia")] }
    print(genre.name, outcome)  // Utopia inserted
    XCTAssertEqual(outcome, .inserted)
    XCTAssertEqual(try context.upsert(by: \Genre.name) { [$0.name.set(to: "UTOPIA")] }.object, genre)
  }

  func testAnUpsertByANil() async throws {
    let temporary = try await TemporaryStore(for: OpeningHours.self)
    let context = temporary.store.mainContext
    for _ in 0..<2 {
      try context.upsert(by: \OpeningHours.branch, \.weekday) {
        [$0.branch.set(to: "Harbour"), $0.weekday.set(to: nil), $0.opensAt.set(to: 10)]
      }
    }
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<OpeningHours>()), 1)
    context.insert(OpeningHours()).branch = "Harbour"
    do {
      try await context.save()
      XCTFail("saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.violations.map(\.properties), [["branch", "weekday"]])
    }
  }
}
#endif
