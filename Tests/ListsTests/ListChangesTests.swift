import RepriseLMDB
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

final class ListChangesTests: XCTestCase {
  private var test: TestStore!
  /// Another context, whose saves arrive as one batch.
  private var other: RootContext!

  override func setUpWithError() throws {
    test = try TestStore()
    other = RootContext(test.store)
  }

  override func tearDown() {
    other = nil
    test = nil
  }

  private func fill(_ names: [String]) async throws -> [Item] {
    let items = names.map { other.insert(Item(name: $0)) }
    try await other.save()
    return items
  }

  private func path(_ item: Int) -> RowPath { RowPath(item: item) }

  private func bothPlans(_ context: ObjectContext) throws -> [ShadowList<Item>] {
    [
      try ShadowList("counted", Fetch<Item>().sorted { $0.name.ascending }, in: context),
      try ShadowList("stored", Fetch<Item>().sorted { [$0.name.ascending, $0.weight.ascending] }, in: context),
    ]
  }

  func testOneRowThatPassesOthersIsOneMove() async throws {
    let items = try await fill(["a", "b", "c", "d", "e"])
    let context = RootContext(test.store)
    let lists = try bothPlans(context)
    items[1].name = "f"
    try await other.save()
    try context.refresh()
    for list in lists {
      let changes = try XCTUnwrap(list.last?.changes)
      XCTAssertEqual(changes.movedRows, [ListChanges.Move(from: path(1), to: path(4))])
      XCTAssertEqual(
        changes.updatedRows, [ListChanges.Update(before: path(1), after: path(4), properties: ["name"])],
        "it moves and changes")
      XCTAssertEqual(changes.deletedRows, [])
    }
  }

  func testRowsThatKeepTheirOrderDoNotMoveThoughAllOfThemChanged() async throws {
    let items = try await fill(["a", "b", "c", "d", "e"])
    let context = RootContext(test.store)
    let lists = try bothPlans(context)
    for (item, name) in zip(items, ["z", "p", "q", "r", "s"]) { item.name = name }
    try await other.save()
    try context.refresh()
    for list in lists {
      XCTAssertEqual(list.last?.changes?.movedRows, [ListChanges.Move(from: path(0), to: path(4))])
      XCTAssertEqual(list.last?.changes?.updatedRows.map(\.before.item), [1, 2, 3, 4, 0])
    }
    for (item, name) in zip(items, ["1", "5", "4", "3", "2"]) { item.name = name }
    try await other.save()
    try context.refresh()
    for list in lists { XCTAssertEqual(list.last?.changes?.movedRows.count, 4, "the reverse") }
  }

  func testARowThatChangesWithinItsPlaceDoesNotMove() async throws {
    let items = try await fill(["a", "c", "e"])
    let context = RootContext(test.store)
    let lists = try bothPlans(context)
    items[1].name = "d"
    items[1].valueInDollars = 5
    try await other.save()
    try context.refresh()
    for list in lists {
      XCTAssertEqual(list.last?.changes?.movedRows, [])
      XCTAssertEqual(list.last?.changes?.updatedRows.first?.properties, ["name", "valueInDollars"])
    }
  }

  func testASectionThatEmptiesAndRefillsStays() async throws {
    let items = try await fill(["ant", "ape", "bat", "cat"])
    let context = RootContext(test.store)
    let byName = Fetch<Item>().sorted { $0.name.ascending }.sectioned { $0.name.firstCharacter() }
    let lists = [
      try ShadowList("counted", byName, in: context),
      try ShadowList("stored", byName.sorted { [$0.name.ascending, $0.weight.ascending] }, in: context),
    ]
    items[0].name = "cow"
    items[1].name = "cub"
    items[2].name = "auk"
    try await other.save()
    try context.refresh()
    for list in lists {
      let changes = try XCTUnwrap(list.last?.changes)
      XCTAssertEqual(changes.deletedSections, [1], "of b nothing is left")
      XCTAssertEqual(changes.insertedSections, [], "a and c are there all the time")
      XCTAssertEqual(changes.movedRows.count, 3)
      XCTAssertEqual(list.list.outline, ["a: auk", "c: cat, cow, cub"])
    }
  }

  func testARowThatLeavesAWindowLetsTheNextOneIn() async throws {
    let items = try await fill(["a", "b", "c", "d", "e"])
    let context = RootContext(test.store)
    let byName = Fetch<Item>().sorted { $0.name.ascending }
    let lists = [
      try ShadowList("counted", byName.limit(2, offset: 1), in: context),
      try ShadowList(
        "stored", byName.sorted { [$0.name.ascending, $0.weight.ascending] }.limit(2, offset: 1), in: context),
    ]
    context.delete(try context.object(items[0].id))
    for list in lists {
      XCTAssertEqual(list.last?.changes?.deletedRows, [path(0)])
      XCTAssertEqual(list.last?.changes?.insertedRows, [path(1)])
      XCTAssertEqual(list.list.names, ["c", "d"])
    }
    try context.object(items[4].id).valueInDollars = 7
    XCTAssertEqual(lists.map(\.batchCount), [1, 1], "what the limit leaves out is no news")
  }

  func testWhatNoPathOfTheFetchReadsIsNoBatch() async throws {
    let ada = other.insert(Person(name: "Ada"))
    let eve = other.insert(Person(name: "Eve"))
    other.insert(Item(name: "chair")).owner = ada
    try await other.save()
    let context = RootContext(test.store)
    let owned = try ShadowList(
      "owner", Fetch<Item> { $0.owner.name != "Bob" }.sorted { $0.owner.name.ascending }, in: context)
    let counted = try ShadowList("items", Fetch<Person> { $0.items.count > 0 }, in: context)
    try context.object(ada.id).zip = 7
    try context.object(eve.id).name = "Eva"
    XCTAssertEqual([owned.batchCount, counted.batchCount], [0, 1], "Ada's own row shows her zip")
    try context.object(ada.id).name = "Ida"
    XCTAssertEqual(owned.last?.changes?.updatedRows.map(\.properties), [["owner"]], "the row may show its name")
    let chair = try XCTUnwrap(try context.fetch(Fetch<Item>()).first)
    chair.owner = try context.object(eve.id)
    XCTAssertEqual(counted.last?.changes?.deletedRows, [path(0)])
    XCTAssertEqual(counted.last?.changes?.insertedRows, [path(0)])
  }

  func testChangesAreToldUpToTenThousand() async throws {
    let context = RootContext(test.store)
    let list = try FetchedList(Fetch<Item>().sorted { [$0.name.ascending, $0.weight.ascending] }, in: context)
    let recorder = Recorder(list)
    for count in [10_000, 10_001] {
      for number in 0..<count { other.insert(Item(name: "\(number % 100)")) }
      try await other.save()
      try context.refresh()
    }
    XCTAssertEqual(recorder.batches.map { $0.changes?.insertedRows.count }, [10_000, nil])
    XCTAssertEqual(recorder.batches.map(\.isReset), [false, true])
    XCTAssertEqual(list.count, 20_001)
  }

  func testAnImportOfOthersRowsIsNoResetOfAList() async throws {
    let context = RootContext(test.store)
    for name in ["a", "b", "c"] { other.insert(Item(name: name)) }
    try await other.save()
    try context.refresh()
    let orders: [Fetch<Item>] = [
      Fetch<Item> { $0.name < "m" }.sorted { $0.name.ascending },
      Fetch<Item> { $0.name < "m" }.sorted { [$0.name.ascending, $0.weight.ascending] },
    ]
    let lists = try orders.map { try FetchedList($0, in: context) }
    let recorders = lists.map { Recorder($0) }
    for number in 0..<12_000 { other.insert(Item(name: "x\(number)")) }
    try await other.save()
    try context.refresh()
    XCTAssertEqual(recorders.map(\.batches.count), [0, 0])
    for number in 0..<12_000 { other.insert(Item(name: number % 4_000 == 0 ? "d\(number)" : "y\(number)")) }
    try await other.save()
    try context.refresh()
    XCTAssertEqual(recorders.map { $0.batches.last?.changes?.insertedRows.count }, [3, 3])
    XCTAssertEqual(lists.map(\.count), [6, 6])
  }

  func testASaveOfTenThousandRowsOnScreenIsNoBatch() async throws {
    other = nil
    let context = RootContext(test.store)
    for number in 0..<10_001 { context.insert(Item(name: "\(number % 100)")) }
    let list = try FetchedList(Fetch<Item>().sorted { [$0.name.ascending, $0.weight.ascending] }, in: context)
    let recorder = Recorder(list)
    XCTAssertEqual(list.count, 10_001)
    try await context.save()
    XCTAssertEqual(recorder.batches.count, 0)
    XCTAssertEqual(test.store.window.count, 0, "the list moved on")
  }

  func testASaveThatMemoryDoesNotKeepIsToldRowByRow() async throws {
    let test = try TestStore(windowBudget: 0)
    let (context, other) = (RootContext(test.store), RootContext(test.store))
    let items = (0..<50).map { context.insert(Item(name: "\($0 % 9)")) }
    try await context.save()
    let orders: [Fetch<Item>] = [
      Fetch<Item>().sorted { $0.name.ascending }, Fetch<Item>().sorted { [$0.name.ascending, $0.weight.ascending] },
    ]
    let lists = try orders.map { try FetchedList($0, in: context) }
    let recorders = lists.map { Recorder($0) }
    for item in items.prefix(20) { item.name = "x" }
    XCTAssertEqual(recorders.map(\.batches.count), [20, 20])
    try await context.save()
    XCTAssertEqual(recorders.map(\.batches.count), [20, 20], "it is on screen already")
    try other.refresh()
    try other.object(items[30].id).name = "y"
    other.insert(Item(name: "z"))
    try await other.save()
    try context.refresh()
    for (list, recorder) in zip(lists, recorders) {
      XCTAssertEqual(recorder.batches.count, 21)
      XCTAssertNotNil(recorder.batches.last?.changes)
      XCTAssertEqual(list.count, 51)
    }
  }

  func testRowsThatCannotBeReadStayAndComeBackWithOneBatch() async throws {
    let items = try await fill(["a", "b", "c"])
    let context = RootContext(test.store)
    let list = try ShadowList("stored", Fetch<Item>().sorted { [$0.name.ascending, $0.weight.ascending] }, in: context)
    let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
    let key = CollectionOfOne(ObjectKey(entity: map.number, uuid: items[1].id.uuid))
    let record = try test.store.read { (view, _) throws(StorageError) in
      try test.store.files.objects.bytes(of: items[1].id.uuid, map, view)
    }
    try test.store.put([1, 2, 3], key)
    // What the second row sorts by decides on which side of it the new one is.
    let new = Item(name: "b")
    context.insert(new)
    XCTAssertFalse(list.list.loadState.isLoaded)
    XCTAssertEqual(list.list.count, 3)
    XCTAssertEqual(list.batchCount, 0)
    try test.store.put(XCTUnwrap(record), key)
    new.name = "aa"
    XCTAssertTrue(list.list.loadState.isLoaded)
    XCTAssertEqual(list.list.names, ["a", "aa", "b", "c"])
    XCTAssertEqual(list.last?.changes?.insertedRows, [path(1)])
  }

  func testWhatRowsSortByBeyondThemAndCannotBeReadMisplacesNoRow() async throws {
    let owners = ["n", "n"].map { other.insert(Person(name: $0)) }
    for name in ["a", "b", "c"] { other.insert(Item(name: name)).owner = owners[0] }
    try await other.save()
    let context = RootContext(test.store)
    let new = context.insert(Item(name: "b"))
    let list = try ShadowList(
      "by owner", Fetch<Item> { $0.owner != nil }.sorted { [$0.owner.name.ascending, $0.name.ascending] }, in: context)
    let map = try XCTUnwrap(test.store.map.map(Person.entity.interned))
    let key = CollectionOfOne(ObjectKey(entity: map.number, uuid: owners[0].id.uuid))
    let record = try test.store.read { (view, _) throws(StorageError) in
      try test.store.files.objects.bytes(of: owners[0].id.uuid, map, view)
    }
    let owner = try context.object(owners[1].id)
    try test.store.put([1, 2, 3], key)
    new.owner = owner
    XCTAssertFalse(list.list.loadState.isLoaded)
    XCTAssertEqual(list.batchCount, 0)
    try test.store.put(XCTUnwrap(record), key)
    new.isInsured = true
    XCTAssertEqual(list.list.names, ["a", "b", "b", "c"])
    XCTAssertEqual(list.last?.changes?.insertedRows, [path(2)])
  }

  func testALongListFollowsManyChangesAtOnce() async throws {
    var numbers = SeededGenerator(seed: testSeed())
    var items = try await fill((0..<7000).map { "n\($0 % 700)" })
    let context = RootContext(test.store)
    let list = try FetchedList(
      Fetch<Item> { $0.valueInDollars < 50 }.sorted { [$0.name.ascending, $0.weight.descending] }
        .sectioned { $0.name.section }, in: context)
    var ids = (0..<list.sectionCount).map { section in
      (0..<list.rowCount(inSection: section)).map { list.element(at: RowPath(section: section, item: $0)).id }
    }
    let observation = list.observe { [unowned list] batch in
      XCTAssertFalse(batch.isReset)
      batch.apply(to: &ids) { list.element(at: $0).id }
    }
    for front in ["b", "a", "z"] {
      let start = Int.random(in: 0..<items.count / 2, using: &numbers)
      for item in items[start..<start + items.count / 6] { other.delete(item) }
      items.removeSubrange(start..<start + items.count / 6)
      for _ in 0..<1000 {
        let item = items[Int.random(in: 0..<items.count, using: &numbers)]
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: item.name = "n\(Int.random(in: 0..<700, using: &numbers))"
        case 1: item.weight = Double.random(in: 0..<9, using: &numbers)
        default: item.valueInDollars = Int.random(in: 0..<100, using: &numbers)
        }
      }
      for number in 0..<800 { items.append(other.insert(Item(name: "\(front)\(number % 10)"))) }
      try await other.save()
      try context.refresh()
      let fetched = try context.fetch(list.fetch).map(\.id)
      XCTAssertEqual(ids.flatMap(\.self), fetched)
      XCTAssertEqual(list.elements.map(\.id), fetched)
      for index in stride(from: 0, to: fetched.count, by: 97) {
        XCTAssertEqual(list.row(for: fetched[index]).path.flatMap(list.snapshot.index(of:)), index)
      }
      XCTAssertLessThanOrEqual(list.explain().memoryInBytes, 20 * list.count)
    }
    observation.cancel()
  }

  func testAnArrayOfAnotherShapeIsMadeAnew() throws {
    let batch = ListBatch(
      before: ListSnapshot(rowCount: 2), after: ListSnapshot(rowCount: 3),
      changes: ListChanges(insertedRows: [RowPath(item: 1)]))
    var rows = [["a", "c"]]
    batch.apply(to: &rows) { _ in "b" }
    XCTAssertEqual(rows, [["a", "b", "c"]])
    var foreign: [[String]] = []
    batch.apply(to: &foreign) { "\($0.item)" }
    XCTAssertEqual(foreign, [["0", "1", "2"]])
    ListBatch(before: batch.after, after: batch.before).apply(to: &rows) { "\($0.item)" }
    XCTAssertEqual(rows, [["0", "1"]], "a reset")
  }
}

extension Store {
  fileprivate func put(_ record: [UInt8], _ key: CollectionOfOne<ObjectKey>) throws {
    try environment.write { (transaction) throws(StorageError) in
      try transaction.put(tables.objects, key: key.span.bytes, value: record.span.bytes)
    }
  }
}
