import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery
import RepriseTestModels
import XCTest

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

  func testALongChainOfDetachedObjectsIsLetGoOfWithLittleStack() async {
    let survivors = await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: Self.survivorsOfALongChain()) }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    XCTAssertEqual(survivors, ["10000", "9999"])
  }

  private nonisolated static func survivorsOfALongChain() -> [String?] {
    var first = Person(name: "0")
    var held: Person?
    for number in 1...20_000 {
      let next = Person(name: "\(number)")
      next.boss = first
      first = next
      if number == 10_000 { held = next }
    }
    first = Person(name: "another")
    return [held?.name, held?.boss?.name]
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
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, "\(report)")
  }
}
