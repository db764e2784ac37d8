#if Macros
import Foundation
import Reprise
import XCTest

final class FetchingTests: ManualTestCase {
  func testFetches() async throws {
    let store = try await makeStore()
    let books = try await fill(store)
    let context = store.mainContext
    let (dispossessed, lathe, cities) = (books[0], books[1], books[2])

    let recent = try context.fetch(Fetch<Book> { $0.year >= 1972 }.sorted { [$0.year.descending, $0.title] })
    XCTAssertEqual(recent, [dispossessed, cities])

    let page = Fetch<Book>().sorted { $0.title.collated(.ignoringCase) }.limit(50, offset: 0)
    let count = try context.count(page)
    let first = try context.first(page)
    let isThere = try context.exists(Fetch<Book> { $0.isbn == "978-0-06-051275-7" })
    print(count, first?.title ?? "none", isThere)
    XCTAssertEqual(count, 3)
    XCTAssertEqual(first, cities)
    XCTAssertFalse(isThere)

    let byUrsula = Fetch<Book> { $0.author.name.hasPrefix("ursula", .ignoringCase) && !($0.status == .lost) }
    let withBooks = Fetch<Author> { $0.books.any { $0.year.isIn(1970...1979) } && $0.books.count >= 2 }
    let some = Fetch<Book> { book in .any([1971, 1972].map { book.year == $0 }) }
    XCTAssertEqual(Set(try context.fetch(byUrsula)), [dispossessed, lathe])
    XCTAssertEqual(try context.fetch(withBooks).map(\.name), ["Ursula K. Le Guin"])
    XCTAssertEqual(Set(try context.fetch(some)), [lathe, cities])

    let isOld = Condition<Book> { $0.year < 1972 }
    let old = Fetch<Book> { isOld && $0.status != .lost }
    if let book = try context.first(old), try isOld.holds(for: book) { print(book.title) }
    XCTAssertEqual(try context.fetch(old), [lathe])

    let typed = "heav"
    let search = Fetch<Book> { $0.title.contains(words: typed, .whileTyping) }
    let similar = Fetch<Book> { $0.title.like("*cities") || $0.title.matches("^The .* Heaven$") }
    XCTAssertEqual(try context.fetch(search), [lathe])
    XCTAssertEqual(try context.fetch(similar), [lathe])

    let predicate = try Fetch(#Predicate<Book> { $0.year > 1971 && $0.title.contains("i") })
    XCTAssertEqual(Set(try context.fetch(predicate)), [dispossessed, cities])

    let ids: [Book.ID] = try context.fetchIDs(byUrsula)
    let values = try context.fetchValues(byUrsula) { ($0.title, $0.year) }
    for row in values { print(row.id, row.values.0 ?? "", row.values.1 ?? 0) }
    XCTAssertEqual(ids, values.map(\.id))

    let years = try context.aggregate(Fetch<Book>()) { ($0.year.minimum, $0.year.maximum, $0.year.average) }
    print(years.0 ?? 0, years.1 ?? 0, years.2 ?? 0)
    let byAuthor = Fetch<Book>().grouped { $0.author.name }.select { $0.year.maximum }
      .having { $0.objectCount > 1 }.sorted { $0.objectCount.descending }
    for group in try context.fetch(byAuthor) { print(group.key ?? "nobody", group.count, group.values ?? 0) }
    let byDay = Fetch<Book>().grouped { $0.addedAt.day(in: .current) }.select { $0.pages.sum }
    for group in try context.fetch(byDay) { print(group.key, group.values) }
    XCTAssertEqual(try context.fetch(byDay).count, 1)
    XCTAssertEqual(years.1, 1974)
    XCTAssertEqual(try context.fetch(byAuthor).map(\.key), ["Ursula K. Le Guin"])

    print(try context.explain(byUrsula))
    XCTAssertGreaterThan(try context.explain(byUrsula).description.utf8.count, 10)

    let field = try Field<Book, Int>(named: "year")
    let sorted = Fetch<Book>().sorted { _ in field.descending }
    XCTAssertEqual(try context.first(sorted), dispossessed)

    let changed = try context.update(Fetch<Book> { $0.year < 1972 }) { [$0.pages.increase(by: 1)] }
    print(changed, "books changed in one undo step")
    XCTAssertEqual(changed, 1)
    XCTAssertEqual(lathe.pages, 1)
  }
}
#endif
