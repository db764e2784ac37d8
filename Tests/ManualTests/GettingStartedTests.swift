#if Macros
import Reprise
import XCTest

final class GettingStartedTests: ManualTestCase {
  /// In the folder where the program runs.
  private func open() async throws -> Store {
    let store = try await Store.open(
      "library.reprise", for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self)
    return store
  }

  func testTheFirstProgram() async throws {
    let store = try await makeStore()

    let context = store.mainContext
    let ursula = context.insert(Author(name: "Ursula K. Le Guin"))
    let book = context.insert(Book("The Dispossessed", year: 1974, by: ursula))
    try await context.save("Add a book")

    let found = try context.fetch(Fetch<Book> { $0.author.name.hasPrefix("Ursula") }.sorted { $0.title })
    print(found.map(\.title))
    XCTAssertEqual(found, [book])

    book.year = 1975
    book.isbn = "978-0-06-051275-7"
    context.undo()
    print(book.isbn ?? "none", book.year)  // none 1975
    context.discard()
    print(book.year, context.hasChanges)  // 1974 false
    XCTAssertEqual(book.year, 1974)
    XCTAssertFalse(context.hasChanges)

    let editor = try context.makeChild(draft: "book editor")
    try editor.object(book.id).title = "The Dispossessed: An Ambiguous Utopia"
    XCTAssertEqual(book.title, "The Dispossessed")

    let again = try await relaunch()
    let resumed = try again.mainContext.makeChild(draft: "book editor")
    print(try resumed.object(book.id).title)  // what was typed
    try resumed.save("Rename a book")
    try await again.mainContext.save("Rename a book")
    XCTAssertEqual(try again.mainContext.object(book.id).title, "The Dispossessed: An Ambiguous Utopia")
  }
}
#endif
