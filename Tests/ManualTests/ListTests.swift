#if Macros
import Reprise
import XCTest

final class ListTests: ManualTestCase {
  func testListsFollow() async throws {
    let store = try await makeStore()
    try await fill(store)
    let context = store.mainContext

    let fetch = Fetch<Book>().sorted { $0.title }.sectioned { $0.title.firstCharacter() }
    let list = try FetchedList(fetch, in: context)
    for section in list.sections {
      print(section.name ?? "", section.prefix(3).map(\.title))
    }
    XCTAssertEqual(list.sections.map(\.name), ["I", "T"])

    var rows = try list.identifiers.sections.map(\.ids)
    let observation = list.observe { [unowned list] batch in
      batch.apply(to: &rows) { list.element(at: $0).id }
    }
    let token = try list.token
    let book = context.insert(Book("Always Coming Home", year: 1985))
    await list.delivered()
    XCTAssertEqual(rows.first, [book.id])
    observation.cancel()
    context.delete(book)
    await list.delivered()

    let batch = try list.changes(since: token)
    batch.apply(to: &rows) { list.element(at: $0).id }
    print(batch)

    let authors = try FetchedList(Fetch<Author>().sorted { $0.name }, in: context, showing: \.books.count)
    let recent = Fetch<Book>().sorted { $0.addedAt.descending }.sectioned { $0.author.name.section }
    XCTAssertEqual(authors.rows.count, 2)
    XCTAssertEqual(try FetchedList(recent, in: context).sections.count, 2)
  }
}
#endif
