#if Macros
import Foundation
import Reprise
import XCTest

final class ServerTests: ManualTestCase {
  private struct Request: Sendable {
    let user: String
    let book: Book.ID
  }

  func testRequests() async throws {
    let store = try await makeStore()
    let request = Request(user: "ada", book: try await fill(store)[0].id)

    let answer = try await store.read { context in
      let book = try context.object(request.book)
      return (title: book.title, isAvailable: book.status == .available, position: context.position)
    }
    XCTAssertEqual(answer.title, "The Dispossessed")

    let loan = try await store.write("Lend", author: request.user) { context in
      let book = try context.object(request.book)
      guard book.status == .available else { throw CocoaError(.featureUnsupported) }
      book.status = .lent
      return context.insert(Loan(of: book, dueAt: Date.now + 14 * 86_400)).id
    }
    let due = try await store.read { context in
      try context.fetchIDs(Fetch<Loan> { !$0.isReturned }.sorted { $0.dueAt }.limit(20))
    }
    XCTAssertEqual(due, [loan.result])
    XCTAssertEqual(try store.log.transaction(at: loan.position)?.inserted, [loan.result.any])
  }

  func testTwentyRequestsAtOnceLoseNothing() async throws {
    let store = try await makeStore()
    let id = try await fill(store)[0].id
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await store.write(attempts: 50) { try $0.object(id).pages += 1 } }
      }
      try await group.waitForAll()
    }
    let pages = try await store.read { try $0.object(id).pages }
    XCTAssertEqual(pages, 20)
  }

  func testManyObjects() async throws {
    let store = try await makeStore()
    let lines = (1...2_500).map { "Book \($0)" }

    let background = BackgroundContext(store, author: "Importer")
    let imported = try await background.importObjects(of: lines, batchSize: 1_000) { context, line in
      context.insert(Book(line, year: 2000))
    }
    print(imported.saved, "in", imported.batches)  // 2500 in 3
    try await background.update(Fetch<Book> { $0.year == 2000 }) { [$0.status.set(to: .lost)] }
    try await background.deleteAll(Fetch<Book> { $0.status == .lost })
    XCTAssertEqual(imported.saved, 2_500)
    XCTAssertEqual(imported.batches, 3)
    try store.mainContext.refresh()
    XCTAssertEqual(try store.mainContext.count(Fetch<Book>()), 0)
  }

  func testTheStoreIsProvedAndClosed() async throws {
    let store = try await makeStore()
    try await fill(store)

    let report = try await StoreMaintenance.verify(store)
    if !report.isSound { print(report) }
    try await store.close()
    XCTAssertTrue(report.isSound)
  }
}
#endif
