import Foundation
import RepriseEventStore
import RepriseFoundation
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import XCTest

final class PastDateTests: XCTestCase {
  func testADateShowsTheStoreAsItWasThen() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Schema(Item.self, Person.self))
    let context = RootContext(store)
    let item = context.insert(Item(name: "before"))
    let first = try await context.save()
    let date = try XCTUnwrap(store.log.transaction(at: first)).date
    item.name = "after"
    try await context.save()
    let past = try store.context(at: date)
    XCTAssertEqual(past.position, first)
    XCTAssertEqual(try past.object(item.id).name, "before")
    XCTAssertEqual(try store.context(at: .distantFuture).object(item.id).name, "after")
    XCTAssertEqual(try store.context(at: .distantPast).position, 0)
    try await store.close()
  }

  /// A date counts in binary fractions of a second.
  func testTheDateOfATransactionIsNotTheMomentBefore() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Schema(Item.self, Person.self))
    let context = RootContext(store)
    for number in 0..<300 {
      context.insert(Item(name: "\(number)"))
      try await context.save()
    }
    for transaction in try store.log.transactions(limit: .max) {
      XCTAssertEqual(try store.log.position(at: transaction.date), transaction.position)
    }
    try await store.close()
  }

  func testAnImportRecordsTheDateThatItSets() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Schema(Item.self, Person.self))
    let context = RootContext(store)
    XCTAssertNil(context.transactionDate)
    let date = Date(timeIntervalSince1970: 86_400.25)
    context.transactionDate = date
    XCTAssertEqual(context.transactionDate, date)
    context.insert(Item(name: "imported"))
    let position = try await context.save()
    XCTAssertEqual(try store.log.transaction(at: position)?.date, date)
    try await store.close()
  }
}
