import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class ListBatchTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore() }
  override func tearDown() { test = nil }

  func testWhatALongListDoesNotShowCausesNoBatch() async throws {
    let context = RootContext(test.store)
    let dear = context.insert(Item(name: "dear", valueInDollars: 100))
    let cheap = context.insert(Item(name: "cheap", valueInDollars: 1))
    let person = context.insert(Person(name: "Ada"))
    try await context.save()
    let list = try FetchedList(
      Fetch<Item> { $0.valueInDollars > 50 }.sorted { $0.valueInDollars.ascending }, in: context)
    let recorder = Recorder(list)
    cheap.name = "cheaper"
    person.name = "Bob"
    context.delete(cheap)
    XCTAssertEqual(recorder.batches.count, 0)
    dear.name = "still dear"
    XCTAssertEqual(recorder.batches.count, 1, "what a row shows changed")
    dear.valueInDollars = 2
    XCTAssertEqual(recorder.batches.map(\.after.count), [1, 0])
  }

  func testAListThatLooksBeyondItsObjectsFollowsTheOthers() async throws {
    let context = RootContext(test.store)
    let ada = context.insert(Person(name: "Ada"))
    let item = context.insert(Item(name: "chair"))
    item.owner = ada
    try await context.save()
    let list = try FetchedList(Fetch<Item> { $0.owner.name == "Ada" }, in: context)
    let recorder = Recorder(list)
    XCTAssertEqual(list.count, 1)
    ada.name = "Eve"
    XCTAssertEqual(list.count, 0)
    XCTAssertEqual(recorder.batches.count, 1)
  }

  @MainActor func testASaveOfThousandsIsNoResetForAnyOfSeveralLists() async throws {
    let context = RootContext(test.store)
    let old = (0..<1800).map { context.insert(Item(name: "item \($0)")) }
    try await context.save()
    let lists = try ["up", "down", "sections"].map { kind in
      var fetch = Fetch<Item>().sorted { kind == "down" ? $0.name.descending : $0.name.ascending }
      if kind == "sections" { fetch = fetch.sectioned { $0.name.firstCharacter() } }
      return try FetchedList(fetch, in: context)
    }
    let recorders = lists.map { Recorder($0) }
    for number in 0..<1900 { context.insert(Item(name: "new item \(number)")) }
    for item in old { context.delete(item) }
    try await context.save()
    for (list, recorder) in zip(lists, recorders) {
      list.flush()
      XCTAssertEqual(list.count, 1900)
      XCTAssertEqual(recorder.batches.map(\.isReset), [false])
    }
  }

  func testAnotherContextsEditsAreNotSeenAndItsSavesWhenTheContextMoves() async throws {
    let mine = RootContext(test.store)
    let yours = RootContext(test.store)
    let fetch = Fetch<Item>().sorted { $0.name.ascending }
    let myList = try FetchedList(fetch, in: mine)
    let yourList = try FetchedList(fetch, in: yours)
    let recorder = Recorder(myList)
    yours.insert(Item(name: "a"))
    XCTAssertEqual(yourList.names, ["a"])
    XCTAssertEqual(myList.names, [])
    try await yours.save()
    XCTAssertEqual(myList.names, [])
    XCTAssertEqual(recorder.batches.count, 0)
    mine.insert(Item(name: "b"))
    XCTAssertEqual(myList.names, ["b"])
    try mine.refresh()
    XCTAssertEqual(myList.names, ["a", "b"])
    XCTAssertEqual(yourList.names, ["a"])
    XCTAssertEqual(recorder.batches.map(\.after.count), [1, 2])
  }

  func testAnEditByAnObserverComesInABatchOfItsOwnForAllObservers() async throws {
    let context = RootContext(test.store)
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let first = Recorder(list)
    let meddler = list.observe { [unowned list] batch in
      guard batch.after.count == 1 else { return }
      context.insert(Item(name: "b"))
      XCTAssertEqual(list.count, 1, "the others were not told yet")
    }
    let last = Recorder(list)
    context.insert(Item(name: "a"))
    XCTAssertEqual(list.names, ["a", "b"])
    XCTAssertEqual(first.batches.map(\.after.count), [1, 2])
    XCTAssertEqual(last.batches.map(\.after.count), [1, 2])
    meddler.cancel()
  }

  func testSetFetchByAnObserverTakesPlaceAfterTheBatch() async throws {
    let context = RootContext(test.store)
    let all = Fetch<Item>().sorted { $0.name.ascending }
    let list = try FetchedList(all, in: context)
    let first = Recorder(list)
    let meddler = list.observe { [unowned list] batch in
      if batch.after.count == 2 { try? list.setFetch(all.filter { $0.name == "b" }) }
    }
    let last = Recorder(list)
    context.insert(Item(name: "a"))
    context.insert(Item(name: "b"))
    XCTAssertEqual(list.names, ["b"])
    XCTAssertEqual(first.batches.map(\.after.count), [1, 2, 1])
    XCTAssertEqual(last.batches.map(\.after.count), [1, 2, 1])
    meddler.cancel()
  }

  func testAnObservedListDoesNotKeepItselfNorItsMomentAfterTheEnd() async throws {
    let context = RootContext(test.store)
    context.insert(Item(name: "a"))
    try await context.save()
    weak var gone: FetchedList<Item>?
    var observation: ListObservation?
    do {
      let list = try FetchedList(Fetch<Item>(), in: context)
      gone = list
      observation = list.observe { _ in XCTFail("the list is gone") }
    }
    XCTAssertNil(gone)
    context.insert(Item(name: "b"))
    try await context.save()
    XCTAssertEqual(test.store.window.count, 0, "nothing keeps the past readable")
    observation?.cancel()
  }

  func testAListThatNobodyObservesLetsGoOfThePast() async throws {
    let context = RootContext(test.store)
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    for name in ["c", "a", "b"] {
      context.insert(Item(name: name))
      try await context.save()
    }
    XCTAssertEqual(test.store.window.count, 0)
    XCTAssertEqual(list.names, ["a", "b", "c"])
  }

  func testASaveOfWhatAListShowsAlreadyIsNoBatch() async throws {
    let context = RootContext(test.store)
    let ada = context.insert(Person(name: "Ada"))
    try await context.save()
    let counted = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let stored = try FetchedList(Fetch<Item> { $0.owner.name == "Ada" }.sorted { $0.weight.ascending }, in: context)
    let recorders = [Recorder(counted), Recorder(stored)]
    let item = Item(name: "a")
    context.group(nil) { context.insert(item).owner = ada }
    let inserted = recorders.map(\.batches.count)
    try await context.save()
    XCTAssertEqual(recorders.map(\.batches.count), inserted, "save of the insertion")
    item.name = "b"
    let renamed = recorders.map(\.batches.count)
    XCTAssertEqual(renamed, inserted.map { $0 + 1 })
    try await context.save()
    XCTAssertEqual(recorders.map(\.batches.count), renamed, "save of the rename")
    context.delete(item)
    let deleted = recorders.map(\.batches.count)
    XCTAssertEqual(deleted, renamed.map { $0 + 1 })
    try await context.save()
    XCTAssertEqual(recorders.map(\.batches.count), deleted, "save of the deletion")
    XCTAssertEqual(test.store.window.count, 0, "the lists moved on")
  }

  func testAnEditBackToItsBeginningIsShownAsWhatTheParentHasByNow() throws {
    let root = RootContext(test.store)
    let item = root.insert(Item(name: "a"))
    let child = root.makeChild()
    let mine = try child.object(item.id)
    mine.name = "b"
    child.group("other") { mine.valueInDollars = 1 }
    item.name = "c"
    let list = try FetchedList(Fetch<Item>(), in: child)
    var seen: [String] = []
    let observation = list.observe { [unowned list] _ in seen.append(list.names[0]) }
    XCTAssertEqual(list.names, ["b"])
    mine.name = "a"
    XCTAssertEqual(seen, ["c"], "no change of the child's is left")
    observation.cancel()
  }

  func testASaveThatSomethingOfOthersComesWithIsABatch() async throws {
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "a"))
    try await context.save()
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let recorder = Recorder(list)
    let other = RootContext(test.store)
    try other.object(item.id).valueInDollars = 7
    try await other.save()
    item.name = "b"
    XCTAssertEqual(recorder.batches.count, 1)
    try await context.save()
    XCTAssertEqual(recorder.batches.count, 2, "the row shows what the other saved")
    XCTAssertEqual(list.elements.map(\.valueInDollars), [7])
  }

  func testAListWhoseRowsAreUntouchedMovesOnWithoutABatch() async throws {
    let context = RootContext(test.store)
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let recorder = Recorder(list)
    for name in ["Ada", "Bob"] {
      context.insert(Person(name: name))
      try await context.save()
    }
    XCTAssertEqual(recorder.batches.count, 0)
    XCTAssertEqual(test.store.window.count, 0, "the list's pin went with it")
  }
}

@MainActor
final class ListTurnTests: XCTestCase {
  func testTheEditsOfATurnComeInOneBatchAtItsEnd() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let recorder = Recorder(list)
    for name in ["b", "a", "c"] { context.insert(Item(name: name)) }
    XCTAssertEqual(list.count, 0, "within the turn the list stays as it was")
    await until { !recorder.batches.isEmpty }
    XCTAssertEqual(list.names, ["a", "b", "c"])
    XCTAssertEqual(recorder.batches.count, 1)
  }

  func testAnObjectDeletedInTheTurnKeepsItsRowUntilTheBatch() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    for name in ["b", "a"] { context.insert(Item(name: name)) }
    try await context.save()
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let recorder = Recorder(list)
    context.delete(list.element(at: RowPath(item: 0)))
    XCTAssertEqual(list.names, ["a", "b"])
    XCTAssertEqual(list.element(at: RowPath(item: 0)).state, .deleted)
    await until { !recorder.batches.isEmpty }
    XCTAssertEqual(list.names, ["b"])
  }

  func testAStreamHasEveryBatchAndEndsWithTheList() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    var list: FetchedList<Item>? = try FetchedList(Fetch<Item>(), in: context)
    let batches = try XCTUnwrap(list).batches
    let counts = Task { @MainActor in
      var counts: [Int] = []
      for await batch in batches { counts.append(batch.after.count) }
      return counts
    }
    let recorder = Recorder(try XCTUnwrap(list))
    for number in 1...3 {
      context.insert(Item(name: "\(number)"))
      await until { recorder.batches.count == number }
    }
    recorder.cancel()
    list = nil
    let seen = await counts.value
    XCTAssertEqual(seen, [1, 2, 3])
  }

  func testAListFollowsWhatAnotherActorSaves() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let recorder = Recorder(list)
    let background = BackgroundContext(test.store)
    try await background.perform { context in
      for name in ["b", "a"] { context.insert(Item(name: name)) }
      try await context.save()
    }
    await until { list.count == 2 }
    XCTAssertEqual(list.names, ["a", "b"])
    XCTAssertEqual(recorder.batches.count, 1)
  }

  func testRowsDoNotFlickerWhileASaveIsUnderWay() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let list = try FetchedList(Fetch<Item>().sorted { $0.name.ascending }, in: context)
    let recorder = Recorder(list)
    context.insert(Item(name: "a"))
    await until { recorder.batches.count == 1 }
    let save = Task { try await context.save() }
    while context.hasChanges && !context.changes.isEmpty { await Task.yield() }
    context.insert(Item(name: "b"))
    _ = try await save.value
    await until { list.count == 2 }
    context.discard()
    await until { list.count == 1 }
    XCTAssertEqual(list.names, ["a"])
    XCTAssertFalse(recorder.batches.contains { $0.after.count == 0 }, "what is being saved is not in and out again")
  }

  func testAScreenShowsAndWatchesAList() async throws {
    let test = try TestStore()
    let screen = try Screen(RootContext(test.store))
    let watching = Task { await screen.watch(until: 2) }
    await until { screen.isWatching }
    screen.context.insert(Item(name: "chair", valueInDollars: 20))
    await until { screen.titles == ["chair"] }
    try screen.setSearch("table")
    await watching.value
    XCTAssertEqual(screen.titles, [])
  }

  /// Lets other jobs of the main actor run until something holds.
  private func until(_ holds: () -> Bool) async {
    for _ in 0..<10_000 where !holds() {
      await Task.yield()
      if !holds() { try? await Task.sleep(for: .milliseconds(1)) }
    }
    XCTAssertTrue(holds())
  }
}

/// A screen as users write one, isolated to the main actor: compiling is half of the test.
@MainActor private final class Screen {
  let context: RootContext
  let list: FetchedList<Item>
  var titles: [String] = []
  var isWatching = false
  private var observation: ListObservation?

  init(_ context: RootContext) throws {
    self.context = context
    list = try FetchedList(
      Fetch<Item> { $0.valueInDollars > 10 }.sorted { [$0.name.ascending, $0.valueInDollars.descending] }
        .sectioned { $0.name.firstCharacter() }, in: context)
    observation = list.observe { [weak self] _ in self?.reload() }
  }

  func reload() {
    titles = (0..<list.sectionCount).flatMap { section in
      (0..<list.rowCount(inSection: section)).map { list.element(at: RowPath(section: section, item: $0)).name }
    }
  }

  func setSearch(_ text: String) throws { try list.setFetch(list.fetch.filter { $0.name.contains(text) }) }

  func watch(until count: Int) async {
    let batches = list.batches
    isWatching = true
    var seen = 0
    for await batch in batches {
      XCTAssertFalse(batch.isReset)
      seen += 1
      if seen == count { return }
    }
  }
}
