import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Pages in the order of birth, each from the last object of the one before.
final class PagingByIDTests: XCTestCase {
  func testAPageVisitsWhatItReturns() async throws {
    let test = try TestStore(Schema(Todo.self, Folder.self))
    let context = RootContext(test.store)
    let todos = (0..<500).map { context.insert(Todo("\($0)")) }
    try await context.save()
    let last = todos[299].id
    let page = Fetch<Todo> { $0.id > last }.limit(20)
    XCTAssertEqual(try context.fetch(page).map(\.title), (300..<320).map { "\($0)" })
    XCTAssertLessThanOrEqual(try context.explain(page).visits, 21)
    let between = Fetch<Todo> { $0.id > last && $0.id <= todos[309].id }
    XCTAssertEqual(try context.fetch(between).map(\.title), (300..<310).map { "\($0)" })
    XCTAssertLessThanOrEqual(try context.explain(between).visits, 11)
    XCTAssertEqual(try context.count(Fetch<Todo> { $0.id < last }), 299)
    // What is uncommitted, and what was deleted, is on its page.
    context.delete(todos[300])
    let new = context.insert(Todo("new"))
    XCTAssertEqual(try context.fetch(page).map(\.title), (301..<321).map { "\($0)" })
    let youngest = todos[499].id
    XCTAssertEqual(try context.fetch(Fetch<Todo> { $0.id > youngest }), [new])
    let child = context.makeChild()
    XCTAssertEqual(try child.fetch(page).map(\.title), (301..<321).map { "\($0)" })
  }

  func testAPageBackwardsVisitsWhatItReturns() async throws {
    let test = try TestStore(Schema(Todo.self, Folder.self))
    let context = RootContext(test.store)
    context.insert(Folder("before all todos"))
    let todos = (0..<500).map { context.insert(Todo("\($0)")) }
    // A record of many rows.
    todos[250].title = String(repeating: "250 ", count: 1_500)
    try await context.save()
    let last = Fetch<Todo>().sorted { $0.id.descending }.limit(20)
    let page = Fetch<Todo> { $0.id < todos[260].id }.sorted { $0.id.descending }.limit(20)
    XCTAssertEqual(try context.fetch(last), todos[480...].reversed())
    XCTAssertEqual(try context.fetch(page), todos[240..<260].reversed())
    XCTAssertEqual(try context.fetch(last.limit(5, offset: 495)), todos[..<5].reversed())
    for fetch in [last, page] { XCTAssertLessThanOrEqual(try context.explain(fetch).visits, 21) }
    XCTAssertEqual(try context.fetch(page.limit(1_000)), todos[..<260].reversed())
    // What is uncommitted, what was deleted, and what others saved meanwhile is on its page.
    let earlier = try test.store.context(at: test.store.log.head)
    let new = context.insert(Todo("new"))
    context.delete(todos[499])
    todos[498].title = "edited"
    let shown = [new] + todos[480..<499].reversed()
    XCTAssertEqual(try context.fetch(last), shown)
    XCTAssertLessThanOrEqual(try context.explain(last).visits, 22)
    XCTAssertEqual(try context.makeChild().fetch(last).map(\.id), shown.map(\.id))
    try await context.save()
    XCTAssertEqual(try context.fetch(last), shown)
    XCTAssertEqual(try earlier.fetchIDs(last), todos[480...].reversed().map(\.id))
  }

  func testPagesInTheMidstOfSavesSkipAndRepeatNothing() async throws {
    let test = try TestStore(Schema(Todo.self, Folder.self))
    let context = RootContext(test.store)
    for number in 0..<100 { context.insert(Todo("\(number)")) }
    try await context.save()
    var found: [String] = []
    var page = try context.fetch(Fetch<Todo>().limit(7))
    while let last = page.last?.id {
      found += page.map(\.title)
      if found.count < 100 { context.insert(Todo("\(found.count + 1_000)")) }
      if found.count < 60 { try await context.save() }
      page = try context.fetch(Fetch<Todo> { $0.id > last }.limit(7))
    }
    XCTAssertEqual(found.prefix(100), (0..<100).map { "\($0)" }[...])
    XCTAssertEqual(Set(found).count, found.count)
  }
}
