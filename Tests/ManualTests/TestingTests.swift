#if Macros
import Reprise
import RepriseTesting
import XCTest

final class TestingTests: XCTestCase {
  @MainActor func testWhatWasTypedIsThereAfterAKill() async throws {
    let temporary = try await TemporaryStore(
      for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self)
    let context = temporary.store.mainContext
    let book = context.insert(Book("The Dispossessed", year: 1974))
    try await context.save()
    let editor = try context.makeChild(draft: "book editor")
    try editor.object(book.id).year = 1975

    let again = try await temporary.relaunch()
    let resumed = try again.mainContext.makeChild(draft: "book editor")
    XCTAssertEqual(try resumed.object(book.id).year, 1975)
    XCTAssertEqual(try again.mainContext.object(book.id).year, 1974)
  }

  @MainActor func testRandomChangesReplay() async throws {
    var random = SeededGenerator()
    print("SeededGenerator(seed: \(random.seed))")
    let year = Int.random(in: 1900...2000, using: &random)
    XCTAssertEqual(Book("Any", year: year).year, year)
  }
}
#endif
