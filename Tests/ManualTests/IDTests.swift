#if Macros
import Foundation
import Reprise
import XCTest

private struct Bookmark: Codable {
  let book: Book.ID
  var page: Int
}

final class IDTests: ManualTestCase {
  func testIDsArePermanentAndCanBeKept() async throws {
    let store = try await makeStore()
    let context = store.mainContext

    let book = Book("Tehanu", year: 1990)
    let id = book.id  // permanent, before the book is in a context
    context.insert(book)
    try await context.save("Add a book")
    XCTAssertEqual(book.id, id)

    let title = try await Task.detached {
      try await store.read { context in try context.object(id).title }
    }.value
    XCTAssertEqual(title, "Tehanu")

    let data = try JSONEncoder().encode(Bookmark(book: book.id, page: 12))
    let bookmark = try JSONDecoder().decode(Bookmark.self, from: data)
    let marked = context.find(bookmark.book)  // nil if the book was deleted
    XCTAssertEqual(marked, book)

    let others = try await fill(store)
    let ids = others.map(\.id)
    let shown = try context.fetch(Fetch<Book> { $0.id.isIn(ids) })
    let next = try context.fetch(Fetch<Book> { $0.id > id }.limit(50))  // in the order of creation
    XCTAssertEqual(shown, others)
    XCTAssertEqual(next, others)
  }

  func testIDsAreTextsAndPartsOfURLs() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let context = store.mainContext

    print(book.id)  // Book/01890a5d-ac96-774b-bcce-b302099a8057
    let same = Book.ID(book.id.description) == book.id  // true
    let path = "/books/\(book.id.uuid)"
    let last = path.split(separator: "/").last.map(String.init) ?? ""
    guard let id = Book.ID(last) else { throw CocoaError(.featureUnsupported) }
    print(try context.object(id).title)
    XCTAssertTrue(same)
    XCTAssertEqual(id, book.id)
    XCTAssertNil(Book.ID("Author/\(book.id.uuid)"))

    let link = try store.uri(for: book.id.any)  // reprise://…/Book/…
    let found = try context.object(uri: link)
    if let found = found as? Book { print(found.title) }
    XCTAssertEqual(found as? Book, book)
  }
}
#endif
