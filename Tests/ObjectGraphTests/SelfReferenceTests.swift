import RepriseEventStore
import RepriseQuery
import XCTest

@testable import RepriseObjectGraph

@MainActor
final class SelfReferenceTests: XCTestCase {
  func testUndoOfDeletingAnObjectThatRefersToItselfLeavesNothingBehind() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, author: "ada")
    let ada = context.insert(Person(name: "Ada"))
    ada.boss = ada
    try await context.save()
    context.delete(ada)
    context.undo()
    XCTAssertFalse(context.hasChanges)
    XCTAssertTrue(ada.boss === ada)
    XCTAssertEqual(ada.reports.map(\.name), ["Ada"])
    ada.boss = nil
    try await context.save()
    XCTAssertNil(try RootContext(test.store).object(ada.id).boss)
  }

  func testAnObjectThatRefersToItselfIsDeletedWithItsLastValues() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, author: "ada")
    let ada = context.insert(Person(name: "Ada"))
    ada.boss = ada
    try await context.save()
    context.delete(ada)
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Person>()), 0)
    let report = try await test.store.verify()
    XCTAssertTrue(report.isSound, "\(report)")
  }
}
