import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// What `explain` says of fetches whose costs must not grow with the store.
final class FetchPlanTests: XCTestCase {
  @MainActor
  private func context(_ test: TestStore, of count: Int = 3000) async throws -> (RootContext, [Item], [Person]) {
    let context = RootContext(test.store)
    let people = (0..<10).map { context.insert(Person(name: "\($0)", zip: $0)) }
    let items = (0..<count).map { context.insert(Item(name: "\(10_000 + $0)", valueInDollars: $0 % 1000)) }
    for (index, item) in items.enumerated() { item.owner = people[index % 10] }
    try await context.save()
    return (context, items, people)
  }

  @MainActor
  func testFetchesVisitWhatTheyReturnAndLittleMore() async throws {
    let test = try TestStore()
    let (context, items, people) = try await context(test)
    func visits(_ fetch: Fetch<Item>) throws -> Int { try context.explain(fetch).visits }
    let byName = Fetch<Item>().sorted { $0.name }
    XCTAssertEqual(try visits(byName.limit(10)), 10)
    XCTAssertEqual(try visits(Fetch { $0.isInsured }.limit(0, offset: 5)), 0)
    XCTAssertEqual(try visits(byName.limit(10, offset: 2500)), 10)
    XCTAssertEqual(try visits(Fetch { $0.name.isIn(["10007", "12000", "none"]) }), 2)
    XCTAssertEqual(try visits(Fetch { $0.name == "10007" || $0.valueInDollars == 5 }), 4)
    XCTAssertEqual(try visits(Fetch { $0.name.hasPrefix("1000") && $0.owner == people[3] }), 10)
    XCTAssertEqual(try visits(Fetch { $0.owner.zip == 3 }), 300)
    XCTAssertEqual(try visits(Fetch { $0.id == items[5].id }), 1)
    XCTAssertEqual(try visits(Fetch { $0.name == "10007" && $0.name == "10008" }), 0)
    XCTAssertLessThan(try visits(byName.filter { $0.valueInDollars >= 500 }.limit(10)), 600)
    XCTAssertEqual(
      try context.explain(Fetch<Person> { $0.items.any { $0.name == "10007" } }).access,
      .collected(properties: ["Item.name", "Item.owner"]))
    // Most of the objects: their index is no way to find them.
    XCTAssertEqual(try context.explain(Fetch<Item> { $0.valueInDollars != 5 }).access, .scan)
  }

  @MainActor
  private func library(_ test: TestStore, authors: Int, books: Int) async throws -> RootContext {
    let context = RootContext(test.store)
    let writers = (0..<authors).map { context.insert(Author("\(10_000 + $0)", country: "\($0 % 3)")) }
    for number in 0..<books {
      let book = context.insert(Book("\(number % 50)", year: number % 7))
      book.author = writers[number % authors]
      book.editor = writers[number % authors]
    }
    try await context.save()
    return context
  }

  @MainActor
  func testAnOrderThroughAToOneVisitsWhatItReturnsAndTheRestOfTheLastGroup() async throws {
    let test = try TestStore(Schema(Book.self, Author.self))
    let context = try await library(test, authors: 100, books: 3000)
    func explain(_ fetch: Fetch<Book>) throws -> FetchExplanation { try context.explain(fetch) }
    let byName = Fetch<Book>().sorted { $0.author.name }
    let first = try explain(byName.limit(10))
    XCTAssertEqual(first.access, .referring(property: "author.name"))
    XCTAssertLessThanOrEqual(first.visits, 30)
    XCTAssertLessThanOrEqual(first.visits, first.expectedVisits)
    XCTAssertFalse(first.isInOrder)
    // The index over author and title ends each group early.
    let byTitle = Fetch<Book>().sorted { [$0.author.name, $0.title.ascending] }
    XCTAssertLessThanOrEqual(try explain(byTitle.limit(10)).visits, 11)
    XCTAssertLessThanOrEqual(try explain(byTitle.limit(10, offset: 40)).visits, 80)
    XCTAssertEqual(
      try explain(Fetch { $0.author.name >= "10050" }.sorted { $0.author.name }.limit(10)).access,
      .referring(property: "author.name"))
    // Its own index has nobody without an editor, which is of no matter where they come last.
    let byEditor = Fetch<Book>().sorted { $0.editor.name.descending }
    XCTAssertEqual(try explain(byEditor.limit(10)).access, .referring(property: "editor.name"))
    XCTAssertEqual(try explain(Fetch<Book>().sorted { $0.editor.name }.limit(10)).access, .scan)
    // Those of whom there are few are sorted.
    XCTAssertEqual(
      try explain(Fetch { $0.title == "7" }.sorted { $0.author.name }.limit(10)).access, .index(property: "title"))
    XCTAssertEqual(try explain(byName).access, .scan)
  }

  @MainActor
  func testWhereMostOthersAreReferredToByNobodyAllAreSorted() async throws {
    let test = try TestStore(Schema(Book.self, Author.self))
    let context = try await library(test, authors: 3000, books: 3000)
    let byName = Fetch<Book>().sorted { $0.author.name }.limit(10)
    XCTAssertEqual(try context.explain(byName).access, .referring(property: "author.name"))
    for book in try context.fetch(Fetch<Book>()).dropFirst(20) { context.delete(book) }
    try await context.save()
    XCTAssertEqual(try context.explain(byName).access, .scan)
    // Half of the authors come first and have no book, which no count tells: the walk is given up.
    let names = try context.fetch(Fetch<Author>().sorted { $0.name })
    for number in 0..<900 { context.insert(Book("new", year: 1)).author = names[2000 + number % 900] }
    for book in try context.fetch(Fetch<Book> { $0.title != "new" }) { context.delete(book) }
    try await context.save()
    let given = try context.explain(byName)
    XCTAssertEqual(given.access, .scan)
    XCTAssertEqual(
      try context.fetch(byName).map { $0.author?.name }, (0..<10).map { names[2000 + $0].name })
  }

  @MainActor
  func testMixedDirectionsEndWithTheGroupThatFillsTheLimitAndAreExpectedTo() async throws {
    let test = try TestStore()
    let (context, _, _) = try await context(test)
    let mixed = Fetch<Item>().sorted { [$0.valueInDollars.ascending, $0.name.descending] }
    for (fetch, visits) in [
      (mixed.limit(10), 12), (mixed.limit(1), 3), (mixed.limit(10, offset: 100), 111),
      (Fetch<Item>().sorted { [$0.valueInDollars.descending, $0.name.ascending] }.limit(10), 12),
      (Fetch { $0.valueInDollars < 500 }.sorted { [$0.valueInDollars.descending, $0.weight.ascending] }.limit(4), 6),
    ] {
      let plan = try context.explain(fetch)
      XCTAssertEqual(plan.access, .index(property: "valueInDollars"))
      XCTAssertEqual(plan.expectedVisits, visits, "\(fetch)")
      XCTAssertEqual(plan.visits, visits, "\(fetch)")
      XCTAssertEqual(plan.rowsInMemory, fetch.limit.map { $0 + fetch.offset }, "\(fetch)")
    }
    // One group of all: to walk it costs more than a scan.
    for item in try context.fetch(Fetch<Item>()) { item.valueInDollars = 1 }
    try await context.save()
    XCTAssertEqual(try context.explain(mixed.limit(10)).access, .scan)
  }

  @MainActor
  func testMixedDirectionsOfSeveralColumnsEndWithTheirGroup() async throws {
    let test = try TestStore(Schema(Todo.self, Folder.self))
    let context = RootContext(test.store)
    for number in 0..<2000 { context.insert(Todo("\(number)", due: Double(number / 10), isDone: number % 2 == 0)) }
    try await context.save()
    let open = Fetch<Todo> { !$0.isDone }.sorted { [$0.due.ascending, $0.title.descending] }.limit(7)
    let plan = try context.explain(open)
    XCTAssertEqual(plan.access, .index(property: "[isDone, due]"))
    XCTAssertEqual(plan.visits, 10)
    XCTAssertEqual(plan.expectedVisits, 10)
  }

  @MainActor
  func testGroupsAndAggregatesTellTheirPlans() async throws {
    let test = try TestStore()
    let (context, _, people) = try await context(test)
    let few = Fetch<Item> { $0.valueInDollars < 5 }
    XCTAssertEqual(try context.distinct(few) { $0.owner }, people.prefix(5).map(\.id))
    let byPrice = try context.explain(Fetch<Item>().grouped { $0.isInsured }.select { $0.valueInDollars.sum })
    XCTAssertEqual(byPrice.access, .scan)
    XCTAssertEqual(byPrice.visits, 3000)
    XCTAssertEqual(byPrice.rowsInMemory, 1)
    let range = try context.explain(Fetch<Item> { $0.valueInDollars < 10 }.grouped { $0.owner.zip })
    XCTAssertEqual(range.access, .index(property: "valueInDollars"))
    XCTAssertEqual([range.visits, range.expectedVisits, range.rowsInMemory], [30, 30, 10])
    let limited = try context.explain(Fetch<Item>().sorted { $0.name }.limit(20).grouped { $0.owner })
    XCTAssertEqual(limited.access, .index(property: "name"))
    XCTAssertEqual([limited.visits, limited.rowsInMemory], [20, 20])
    for item in try context.fetch(Fetch<Item>()) { item.valueInDollars = item.valueInDollars < 500 ? 1 : 2 }
    try await context.save()
    let counted = try context.explain(Fetch<Item>().grouped { $0.valueInDollars })
    XCTAssertEqual(counted.access, .index(property: "valueInDollars"))
    XCTAssertEqual([counted.visits, counted.rowsInMemory], [2, 2])
    let most = try context.explain(Fetch<Item>()) { $0.valueInDollars.maximum }
    XCTAssertEqual(most.access, .index(property: "valueInDollars"))
    XCTAssertEqual(most.visits, 0)
    let both = try context.explain(Fetch<Item> { $0.name < "10100" }) { ($0.valueInDollars.sum, $0.name.minimum) }
    XCTAssertEqual(both.access, .index(property: "name"))
    XCTAssertEqual([both.visits, both.rowsInMemory], [100, 1])
  }

  /// Each edit beside 10,000 others would read those again.
  @MainActor
  func testCountsAndRanksReadPendingObjectsOnce() async throws {
    let test = try TestStore()
    let (context, items, _) = try await context(test, of: 400)
    let cheap = Fetch<Item> { $0.valueInDollars < 100 }
    let byValue = Fetch<Item>().sorted { $0.valueInDollars.ascending }
    for item in items.prefix(200) { item.valueInDollars += 1_000 }
    XCTAssertEqual(try context.count(cheap), 0)
    XCTAssertEqual(try context.rank(of: items[0].id, in: byValue), 200)
    let map = try XCTUnwrap(context.store.map.map(Item.entity.interned))
    // Whoever reads one of them again fails.
    try context.store.damageRecords(items[10..<200].map(\.id.any), map)
    for round in 1...5 {
      items[round].valueInDollars = round
      XCTAssertEqual(try context.count(cheap), round)
      XCTAssertEqual(try context.rank(of: items[round].id, in: byValue), round - 1)
      XCTAssertEqual(try context.rank(of: items[0].id, in: byValue), 200 + round)
      XCTAssertEqual(try context.fetch(byValue.limit(1, offset: round - 1)).map(\.id), [items[round].id])
      XCTAssertEqual(try context.aggregate(Fetch<Item>()) { $0.valueInDollars.minimum }, 1)
    }
    context.delete(items[2])
    let new = context.insert(Item(name: "new", valueInDollars: 3))
    XCTAssertEqual(try context.count(cheap), 5)
    XCTAssertEqual(try context.rank(of: new.id, in: byValue), 2)
    context.undo()
    context.undo()
    XCTAssertEqual(try context.count(cheap), 5)
    XCTAssertEqual(try context.rank(of: items[3].id, in: byValue), 2)
  }

  @MainActor
  func testACountOfWhatRefersToAnObjectReadsNoneOfThem() async throws {
    let test = try TestStore()
    let (context, items, _) = try await context(test, of: 200)
    let (ada, bob) = (context.insert(Person(name: "Ada")), context.insert(Person(name: "Bob")))
    for item in items { item.owner = ada }
    try await context.save()
    let hers = Fetch<Item> { $0.owner == ada.id }
    let map = try XCTUnwrap(context.store.map.map(Item.entity.interned))
    try context.store.damageRecords(items.dropFirst(20).map(\.id.any), map)
    XCTAssertEqual(try context.count(hers), 200)
    XCTAssertEqual(try context.aggregate(hers) { $0.objectCount }, 200)
    for item in items.prefix(10) { item.owner = bob }
    context.delete(items[11])
    context.insert(Item(name: "new")).owner = ada
    items[12].name = "still hers"
    XCTAssertEqual(try context.count(hers), 190)
    XCTAssertEqual(try context.count(Fetch<Item> { $0.owner.isIn([ada, bob]) }), 200)
    XCTAssertEqual(try context.count(Fetch<Item> { $0.owner == bob }), 10)
    // It may follow while the other one saves.
    context.followsHead = false
    let other = RootContext(test.store)
    try other.object(items[15].id).owner = nil
    try await other.save()
    XCTAssertEqual(try context.count(hers), 190, "it has not followed")
    try context.refresh()
    XCTAssertEqual(try context.count(hers), 189)
  }

  @MainActor
  func testACountOfAllReadsNoObjectForPendingEdits() async throws {
    let test = try TestStore()
    let (context, items, _) = try await context(test, of: 200)
    for item in items.prefix(50) { item.weight = 2 }
    context.delete(items[60])
    _ = context.insert(Item(name: "new"))
    _ = context.insert(Item(name: "newer"))
    let map = try XCTUnwrap(context.store.map.map(Item.entity.interned))
    try context.store.damageRecords(items.filter { $0 !== items[60] }.map(\.id.any), map)
    XCTAssertEqual(try context.count(Fetch<Item>()), 201)
  }
}
