import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Scroll position and selection come back by object: what the list says of an identifier that it gave out before.
final class RowLookupTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore() }
  override func tearDown() { test = nil }

  private let fetches = [
    Fetch<Item>().sorted { $0.name.ascending },
    Fetch<Item>().sorted { [$0.name.ascending, $0.weight.ascending] },
  ]

  func testTheRowIsFoundAfterReorderingAndNotByItsOldIndex() async throws {
    let context = RootContext(test.store)
    for name in ["a", "b", "c", "d"] { context.insert(Item(name: name)) }
    try await context.save()
    for fetch in fetches {
      let list = try FetchedList(fetch, in: context)
      let top = try XCTUnwrap(list.modelIdentifier(at: RowPath(item: 1)))
      let object = list.element(at: RowPath(item: 1))
      XCTAssertEqual(top.rawValue, try test.store.uri(for: object.id.any))
      let old = object.name
      object.name = "z"
      XCTAssertEqual(list.row(for: top), .row(RowPath(item: 3)))
      object.name = old
      XCTAssertEqual(list.row(for: top), .row(RowPath(item: 1)))
      XCTAssertNil(list.modelIdentifier(at: RowPath(item: 4)))
      XCTAssertNil(list.modelIdentifier(at: RowPath(section: 1, item: 0)))
    }
  }

  func testFiveAnswersForFiveReasons() async throws {
    let context = RootContext(test.store)
    let kept = context.insert(Item(name: "kept", valueInDollars: 5))
    let gone = context.insert(Item(name: "gone", valueInDollars: 5))
    let cheap = context.insert(Item(name: "cheap", valueInDollars: 1))
    let person = context.insert(Person(name: "Ada"))
    try await context.save()
    for fetch in [fetches[0], fetches[1], Fetch<Item>().sorted { $0.valueInDollars.ascending }] {
      let list = try FetchedList(fetch, in: context)
      let identifiers = [kept.id.any, gone.id.any, cheap.id.any, person.id.any].map {
        ModelIdentifier((try? test.store.uri(for: $0)) ?? "")
      }
      try list.setFetch(fetch.filter { $0.valueInDollars > 2 })
      context.delete(gone)
      XCTAssertEqual(list.row(for: identifiers[0]), .row(RowPath(item: 0)))
      XCTAssertEqual(list.row(for: identifiers[1]), .deleted)
      XCTAssertEqual(list.row(for: identifiers[2]), .filteredOut)
      XCTAssertEqual(list.row(for: identifiers[3]), .filteredOut, "another model")
      XCTAssertEqual(list.row(for: cheap.id), .filteredOut)
      XCTAssertEqual(list.row(for: Item(name: "never inserted").id), .deleted)
      context.discard()
      XCTAssertEqual(list.row(for: identifiers[1]).path?.item, 1 - (list.row(for: identifiers[0]).path?.item ?? 9))

      let foreign = try TestStore()
      let list2 = try FetchedList(fetch, in: RootContext(foreign.store))
      XCTAssertEqual(list2.row(for: identifiers[0]), .foreignStore)
      XCTAssertEqual(list.row(for: ModelIdentifier("https://example.org/1")), .foreignStore)
      XCTAssertEqual(list.row(for: ModelIdentifier("")), .foreignStore)
    }
  }

  func testWhatOthersSavedSinceIsNotLoadedUntilTheListMovesThere() async throws {
    let context = RootContext(test.store)
    let list = try FetchedList(fetches[0], in: context)
    let observation = list.observe { _ in }
    let other = RootContext(test.store)
    let item = other.insert(Item(name: "new"))
    XCTAssertEqual(list.row(for: item.id), .deleted, "uncommitted elsewhere: nothing to wait for")
    try await other.save()
    XCTAssertEqual(list.row(for: item.id), .notLoaded)
    try context.refresh()
    XCTAssertEqual(list.row(for: item.id), .row(RowPath(item: 0)))
    observation.cancel()
  }

  func testTheEntityInAnIdentifierIsAHint() async throws {
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "a"))
    try await context.save()
    let list = try FetchedList(fetches[0], in: context)
    let uri = ObjectURI(log: test.store.logID, entity: "Artikel", uuid: item.id.uuid).text
    XCTAssertEqual(list.row(for: ModelIdentifier(uri)), .row(RowPath(item: 0)))
  }

  func testWhatLimitAndOffsetLeaveOutIsFilteredOut() async throws {
    let context = RootContext(test.store)
    let items = ["a", "b", "c", "d"].map { context.insert(Item(name: $0)) }
    try await context.save()
    for fetch in fetches {
      let list = try FetchedList(fetch.limit(2, offset: 1), in: context)
      XCTAssertEqual(
        items.map { list.row(for: $0.id) },
        [.filteredOut, .row(RowPath(item: 0)), .row(RowPath(item: 1)), .filteredOut])
    }
  }
}
