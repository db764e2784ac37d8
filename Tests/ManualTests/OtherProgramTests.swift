#if Macros
import Foundation
import Reprise
import XCTest

final class OtherProgramTests: ManualTestCase {
  func testNamesAndJSON() async throws {
    let store = try await makeStore()
    let context = store.mainContext
    let book = try await fill(store)[2]
    let genre = context.insert(Genre(name: "Utopia"))
    book.genres.insert(genre)
    try await context.save()
    for property in Book.entity.attributes {
      print(property.name, property.kind, try book[property.name])
    }
    try book.set("pages", to: .int(165))
    print(try book.members(of: "genres").count)
    XCTAssertEqual(try book.members(of: "genres"), [genre.id.any])

    for change in book.pendingChanges { print(change.property, change.form) }
    print(try book.committedValue(of: "pages"))  // 0
    XCTAssertEqual(try book.committedValue(of: "pages"), .int(0))
    XCTAssertEqual(book.changedProperties, ["pages"])

    let books = try store.entity(named: "Book")
    let found = try context.fetch(books, ["author.name": .string("Le Guin")], sortedBy: "year", limit: 20)
    let imported = try context.insert(books, ["title": .string("The Telling"), "year": .int(2000)])
    try imported.insert(genre.id.any, into: "genres")
    XCTAssertEqual(found.count, 0)
    XCTAssertEqual(imported.pendingChanges.last?.property, "genres")
    context.undo()
    context.undo()

    let selection = PropertySelection.only("title", "year").ids("author").nesting("genres", .only("name"))
    let data = try book.json(selection)
    do {
      try context.insert(Book.self, json: data, properties: selection)
    } catch ExchangeError.exists(let id, _) {
      print(id, "is here already")
      try context.update(book, json: data, properties: selection)
    }
    XCTAssertEqual(try context.fetch(Fetch<Book>()).count, 3)
    context.delete(book)
    try await context.save()
    let again = try context.insert(Book.self, json: data, properties: selection)
    XCTAssertEqual(again.id, book.id)
    let list = Data(#"[{"isbn": "978-0-06-051275-7", "title": "The Dispossessed", "year": 1974}]"#.utf8)
    let counts = try context.upsertAll(Book.self, by: \.isbn, json: list, properties: .only("isbn", "title", "year"))
    print(counts.inserted, "new", counts.updated, "changed")
    XCTAssertEqual(counts.inserted + counts.updated + counts.unchanged, 1)
    XCTAssertEqual(again.author?.name, "Italo Calvino")
    XCTAssertEqual(Array(again.genres), [genre])
    XCTAssertEqual(again.pages, 0)
    try await context.save()
  }
}
#endif
