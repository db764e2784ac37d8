#if Macros
import Foundation
import Reprise
import XCTest

final class ContextTests: ManualTestCase {
  func testAnOverlayAndItsUndo() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let context = store.mainContext

    context.group("Lend") {
      book.status = .lent
      book.timesLent += 1
    }
    print(context.undoName ?? "nothing", book.timesLent)  // Lend 1
    context.undo()
    context.redo()
    context.discard(book)
    XCTAssertEqual(book.status, .available)
    XCTAssertFalse(context.hasChanges)
  }

  func testUndoByWord() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let context = store.mainContext

    context.undoCoalescing = .byWord()
    for text in ["T", "To", "To ", "To b", "To be"] { book.title = text }
    context.undo()
    print(book.title)  // To
    XCTAssertTrue("To be".hasPrefix(book.title))
  }

  func testChildren() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let context = store.mainContext

    let editor = context.makeChild()
    let edited = try editor.object(book.id)
    edited.title = "The Dispossessed: An Ambiguous Utopia"
    print(book.title)  // The Dispossessed
    try editor.save("Rename")
    print(book.title)  // The Dispossessed: An Ambiguous Utopia
    try await context.save("Rename a book")
    XCTAssertEqual(book.title, "The Dispossessed: An Ambiguous Utopia")
    XCTAssertFalse(context.hasChanges)
  }

  func testBeforeTheStoreIsOpen() async throws {
    let path = NSTemporaryDirectory() + "reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }

    let store = Store.opening(
      path, for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self,
      progress: { step in print(step.work, step.done, "of", step.total) })
    let context = store.mainContext
    context.insert(Book("Lavinia", year: 2008))
    try await context.ready()
    print(try context.count(Fetch<Book>()))  // 1
    XCTAssertEqual(try context.fetch(Fetch<Book>()).map(\.title), ["Lavinia"])
    try await store.close()
  }

  func testDrafts() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let context = store.mainContext

    let editor = try context.makeChild(draft: "book editor")
    try editor.object(book.id).title = "The Disposessed"
    try await store.flush(durable: true)
    for draft in try store.drafts.all() { print(draft.id, draft.parent ?? "the store", draft.objects.count) }
    XCTAssertEqual(try store.drafts.all().first?.id, "book editor")

    let again = try await relaunch()
    let resumed = try again.mainContext.makeChild(draft: "book editor")
    XCTAssertEqual(try resumed.object(book.id).title, "The Disposessed")
    resumed.undo()
    XCTAssertEqual(try resumed.object(book.id).title, "The Dispossessed")
    resumed.redo()
    resumed.discard()
    XCTAssertEqual(try resumed.object(book.id).title, "The Dispossessed")
    XCTAssertFalse(resumed.hasChanges)
  }

  func testWorkInTheBackground() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let id = book.id

    let background = BackgroundContext(store, author: "Importer")
    let titles = ["Always Coming Home", "Tehanu"]
    try await background.perform { context in
      for title in titles { context.insert(Book(title, year: 1985)) }
      try context.object(id).pages = 341
      try await context.save("Import")
    }
    try store.mainContext.refresh()
    print(book.pages)  // 341
    XCTAssertEqual(book.pages, 341)
    XCTAssertEqual(try store.mainContext.count(Fetch<Book>()), 5)
  }
}
#endif
