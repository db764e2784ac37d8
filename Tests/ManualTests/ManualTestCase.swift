#if Macros
import Reprise
import RepriseTesting
import XCTest

/// The programs of the manual: each piece of code of its articles is part of a test here, word for word.
@MainActor class ManualTestCase: XCTestCase {
  private var temporary: TemporaryStore?

  func makeStore() async throws -> Store {
    let made = try await TemporaryStore(for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self)
    temporary = made
    return made.store
  }

  /// Kills the process, as far as a test can, and starts it again.
  func relaunch() async throws -> Store { try await XCTUnwrap(temporary).relaunch() }

  /// What the articles call "the catalogue": three books of two authors.
  @discardableResult func fill(_ store: Store) async throws -> [Book] {
    let context = store.mainContext
    let ursula = context.insert(Author(name: "Ursula K. Le Guin"))
    let italo = context.insert(Author(name: "Italo Calvino"))
    let books = [
      Book("The Dispossessed", year: 1974, by: ursula), Book("The Lathe of Heaven", year: 1971, by: ursula),
      Book("Invisible Cities", year: 1972, by: italo),
    ]
    for book in books { context.insert(book) }
    try await context.save("Fill the catalogue")
    return books
  }
}
#endif
