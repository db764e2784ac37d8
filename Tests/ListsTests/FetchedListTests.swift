import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore

final class FetchedListTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore() }
  override func tearDown() { test = nil }

  private func fill(_ context: RootContext, _ names: String...) async throws {
    for (index, name) in names.enumerated() { context.insert(Item(name: name, valueInDollars: index)) }
    try await context.save()
  }

  func testRowsFollowEditsDiscardAndSave() async throws {
    let context = RootContext(test.store)
    try await fill(context, "pear", "apple", "fig")
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let recorder = Recorder(list)
    XCTAssertEqual(list.names, ["apple", "fig", "pear"])
    list.element(at: RowPath(item: 2)).name = "banana"
    XCTAssertEqual(list.names, ["apple", "banana", "fig"])
    context.insert(Item(name: "kiwi"))
    context.delete(list.element(at: RowPath(item: 0)))
    XCTAssertEqual(list.names, ["banana", "fig", "kiwi"])
    context.discard()
    XCTAssertEqual(list.names, ["apple", "fig", "pear"])
    context.insert(Item(name: "kiwi"))
    try await context.save()
    XCTAssertEqual(list.names, ["apple", "fig", "kiwi", "pear"])
    XCTAssertEqual(recorder.batches.map(\.after.count), [3, 4, 3, 3, 4], "what the save left as it was is no news")
  }

  func testAGroupInNoIsolationIsOneBatch() async throws {
    struct Refused: Error {}
    let context = RootContext(test.store)
    try await fill(context, "a", "b", "c")
    let child = context.makeChild()
    let lists = try [context, child].map { try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: $0) }
    let recorders = lists.map { Recorder($0) }
    context.group("Change") {
      context.insert(Item(name: "d"))
      context.group("Within") {
        lists[0].element(at: RowPath(item: 0)).name = "e"
        context.delete(lists[0].element(at: RowPath(item: 1)))
      }
      XCTAssertEqual(recorders.map(\.batches.count), [0, 0], "it is not over")
    }
    XCTAssertEqual(lists.map(\.names), Array(repeating: ["c", "d", "e"], count: 2))
    XCTAssertEqual(recorders.map(\.batches.count), [1, 1])
    XCTAssertThrowsError(
      try context.group("Fail") {
        context.insert(Item(name: "f"))
        throw Refused()
      })
    context.group(nil) {}
    XCTAssertEqual(recorders.map(\.batches.count), [1, 1], "nothing changed")
    context.undo()
    XCTAssertEqual(recorders.map(\.batches.count), [2, 2])
    XCTAssertEqual(lists.map(\.names), Array(repeating: ["a", "b", "c"], count: 2))
    child.group(nil) { for name in ["x", "y"] { child.insert(Item(name: name)) } }
    XCTAssertEqual(recorders.map(\.batches.count), [2, 3])
  }

  func testAnEditByAnObserverOfAGroupIsAStepOfItsOwn() async throws {
    let context = RootContext(test.store)
    try await fill(context, "a")
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    var isDone = false
    let observation = list.observe { _ in
      if !isDone { context.insert(Item(name: "mine")) }
      isDone = true
    }
    context.group("Theirs") { for name in ["b", "c"] { context.insert(Item(name: name)) } }
    XCTAssertEqual(list.names, ["a", "b", "c", "mine"])
    context.undo()
    XCTAssertEqual(list.names, ["a", "b", "c"])
    withExtendedLifetime(observation) {}
  }

  func testDescendingListsAreTheReverse() async throws {
    let context = RootContext(test.store)
    try await fill(context, "b", "a", "b", "c", "a")
    let up = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let down = try FetchedList(Fetch<Item>().sorted { $0.name.descending }, in: context)
    XCTAssertEqual(down.elements.map(\.id), up.elements.map(\.id).reversed())
    XCTAssertEqual(down.row(for: up.element(at: RowPath(item: 4)).id), .row(RowPath(item: 0)))
  }

  func testSectionsInBothPlansAndBothDirections() async throws {
    let context = RootContext(test.store)
    try await fill(context, "bee", "ant", "", "École", "ape", "\u{45}\u{301}t\u{e9}", "bat")
    let counted = Fetch<Item>().sorted { $0.name.ascending }.sectioned { $0.name.firstCharacter() }
    let stored = counted.sorted { [$0.name.ascending, $0.valueInDollars.ascending] }
    let expected = [": ", "a: ant, ape", "b: bat, bee", "É: École, E\u{301}té"]
    for fetch in [counted, stored] {
      let list = try FetchedList(fetch, in: context)
      XCTAssertEqual(list.outline, expected)
      XCTAssertEqual(list.snapshot.sections.map(\.rowCount), [1, 2, 2, 2])
      XCTAssertNil(list.sectionName(4))
      XCTAssertEqual(list.rowCount(inSection: -1), 0)
    }
    let down = Fetch<Item>().sorted { $0.name.descending }.sectioned { $0.name.firstCharacter() }
    XCTAssertEqual(
      try FetchedList(down, in: context).outline, ["É: E\u{301}té, École", "b: bee, bat", "a: ape, ant", ": "])
    let none = try FetchedList(counted.filter { $0.name == "zebra" }, in: context)
    XCTAssertEqual(none.sectionCount, 0)
  }

  func testLimitAndOffsetCutTheSameRowsFromEitherPlan() async throws {
    let context = RootContext(test.store)
    try await fill(context, "a", "b", "c", "d", "e", "f")
    for (limit, offset) in [(0, 0), (2, 0), (3, 2), (3, 5), (2, 6), (2, 9), (.max, 4)] {
      for isAscending in [true, false] {
        let one = Fetch<Item>().sorted { isAscending ? $0.name.ascending : $0.name.descending }
        let two = Fetch<Item>().sorted {
          [isAscending ? $0.name.ascending : $0.name.descending, $0.weight.ascending]
        }
        let counted = try FetchedList(one.limit(limit, offset: offset), in: context)
        let stored = try FetchedList(two.limit(limit, offset: offset), in: context)
        XCTAssertEqual(counted.explain().rows, .countedIndex(property: "name"))
        XCTAssertEqual(stored.explain().rows, .inMemory)
        XCTAssertEqual(counted.names, stored.names, "\(limit) \(offset) \(isAscending)")
        let names = isAscending ? ["a", "b", "c", "d", "e", "f"] : ["f", "e", "d", "c", "b", "a"]
        XCTAssertEqual(counted.names, Array(names.dropFirst(offset).prefix(limit)))
      }
    }
  }

  func testALongListOfOneIndexHasNoRowsInMemory() async throws {
    let context = RootContext(test.store)
    for index in 0..<20_000 { context.insert(Item(name: "n\(index % 5000)", valueInDollars: index)) }
    try await context.save()
    let list = try FetchedList(
      Fetch<Item> { $0.valueInDollars >= 100 }.sorted { $0.valueInDollars.descending }, in: context)
    let recorder = Recorder(list)
    XCTAssertEqual(list.count, 19_900)
    XCTAssertEqual(list.element(at: RowPath(item: 0)).valueInDollars, 19_999)
    XCTAssertEqual(list.element(at: RowPath(item: 19_899)).valueInDollars, 100)
    let item = list.element(at: RowPath(item: 12_345))
    XCTAssertEqual(list.row(for: item.id), .row(RowPath(item: 12_345)))
    item.valueInDollars = 30_000
    XCTAssertEqual(list.row(for: item.id), .row(RowPath(item: 0)))
    let plan = list.explain()
    XCTAssertEqual(plan.rows, .countedIndex(property: "valueInDollars"))
    XCTAssertEqual(plan.memoryInBytes, 0)
    XCTAssertEqual(plan.differencesFromHead, 1)
    XCTAssertEqual(recorder.batches.count, 1)
    let stored = try FetchedList(Fetch<Item>().sorted { $0.weight.ascending }, in: context)
    XCTAssertLessThanOrEqual(stored.explain().memoryInBytes, 20 * 20_000)
  }

  func testAListThatFallsFarBehindGoesOnAnsweringForItsMoment() async throws {
    let context = RootContext(test.store)
    try await fill(context, "a", "b", "c")
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let recorder = Recorder(list)
    let other = RootContext(test.store)
    for index in 0..<10_500 { other.insert(Item(name: "b\(index)")) }
    try await other.save()
    XCTAssertEqual(list.names, ["a", "b", "c"])
    XCTAssertEqual(list.explain().rows, .inMemory, "more differs than the index is worth")
    try context.refresh()
    XCTAssertEqual(list.count, 10_503)
    XCTAssertEqual(list.explain().rows, .countedIndex(property: "name"))
    XCTAssertEqual(recorder.batches.count, 1)
  }

  func testSetFetchShowsOtherRowsInOneBatchAndARefusedOneChangesNothing() async throws {
    let context = RootContext(test.store)
    try await fill(context, "apple", "fig", "pear")
    let all = Fetch<Item>().sorted { $0.name.ascending }
    let list = try FetchedList(all, in: context)
    let recorder = Recorder(list)
    try list.setFetch(all.filter { $0.name.contains("p") })
    XCTAssertEqual(list.names, ["apple", "pear"])
    XCTAssertThrowsError(try list.setFetch(all.limit(-1)))
    XCTAssertEqual(list.names, ["apple", "pear"])
    XCTAssertEqual(list.fetch, all.filter { $0.name.contains("p") })
    XCTAssertEqual(recorder.batches.count, 1)
    XCTAssertEqual(recorder.batches.last?.changes?.deletedRows, [RowPath(item: 1)])
    XCTAssertEqual(recorder.batches.last?.changes?.insertedRows, [])
    XCTAssertEqual(recorder.batches.last?.changes?.movedRows, [])
    try list.setFetch(list.fetch)
    try list.setFetch(all.filter { $0.name == "apple" || $0.name == "pear" })
    XCTAssertEqual(recorder.batches.count, 1, "the rows are the same")
  }

  func testSetFetchTellsWhatTheTurnChangedBeforeIt() async throws {
    let context = RootContext(test.store)
    try await fill(context, "apple", "fig", "pear")
    let all = Fetch<Item>().sorted { $0.name.ascending }
    let list = try ShadowList("typed", all, in: context)
    context.group("Edit") {
      list.list.element(at: RowPath(item: 0)).name = "quince"
      context.insert(Item(name: "plum"))
    }
    try list.list.setFetch(all.filter { $0.name.contains("u") })
    try list.check("a search")
    XCTAssertEqual(list.list.names, ["plum", "quince"])
    try list.list.setFetch(all.filter { $0.name == "nothing" })
    try list.check("nothing found")
    try list.list.setFetch(all)
    try list.check("all again")
    XCTAssertEqual(list.list.names, ["fig", "pear", "plum", "quince"])
  }

  func testAFetchThatDoesNotFitIsRefusedWhenTheListIsMade() throws {
    let context = RootContext(test.store)
    XCTAssertThrowsError(try FetchedList(Fetch<Item>().limit(-1), in: context)) { error in
      XCTAssertEqual(error as? FetchError, .negativeLimit(-1))
    }
  }

  func testAnObjectDeletedAfterTheLastBatchKeepsItsRowAndReadsWithItsLastValues() async throws {
    let context = RootContext(test.store)
    try await fill(context, "apple", "fig")
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let other = RootContext(test.store)
    other.delete(try XCTUnwrap(try other.fetch(Fetch<Item> { $0.name == "fig" }).first))
    try await other.save()
    var seen: [String] = []
    // In the midst of a delivery the context is ahead of the list.
    let first = list.observe { [unowned list] _ in
      guard seen.isEmpty else { return }
      context.delete(list.element(at: RowPath(item: 0)))
      try? context.refresh()
      XCTAssertEqual(list.count, 3)
      seen = list.elements.map { "\($0.name) \($0.state)" }
      XCTAssertEqual(list.row(for: list.element(at: RowPath(item: 1)).id), .row(RowPath(item: 1)))
    }
    context.insert(Item(name: "kiwi"))
    XCTAssertEqual(seen, ["apple deleted", "fig deleted", "kiwi inserted"])
    XCTAssertEqual(list.names, ["kiwi"])
    first.cancel()
  }

  func testAListOfAClosedStoreKeepsItsCountAndSaysWhy() async throws {
    let context = RootContext(test.store)
    try await fill(context, "apple", "fig")
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let observation = list.observe { _ in XCTFail("there is nothing to tell") }
    XCTAssertTrue(test.store.markClosed())
    XCTAssertEqual(list.count, 2)
    XCTAssertEqual(list.element(at: RowPath(item: 1)).state, .unreadable)
    XCTAssertNil(list.modelIdentifier(at: RowPath(item: 1)))
    XCTAssertEqual(list.row(for: Item(name: "").id), .notLoaded)
    context.insert(Item(name: "kiwi"))
    XCTAssertFalse(list.loadState.isLoaded)
    XCTAssertEqual(list.count, 2)
    XCTAssertThrowsError(try FetchedList(Fetch<Item>(), in: context))
    observation.cancel()
  }
}
