import Foundation
import Observation
import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseObservation
import RepriseQuery
import RepriseTestModels
import Synchronization
import XCTest

final class ObservationTests: XCTestCase {
  private var path = ""
  private var store: Store!

  override func setUpWithError() throws {
    path = NSTemporaryDirectory() + "reprise-observation-\(UUID().uuidString)"
    var options = StoreOptions()
    options.isUnflushed = true
    store = try Store.openNow(path, for: Schema(Item.self, Person.self), options)
  }

  override func tearDown() {
    store = nil
    try? FileManager.default.removeItem(atPath: path)
  }

  /// How often what is read changed; each change is told once, and read again.
  private final class Watch: Sendable {
    let count = Mutex(0)
    var changes: Int { count.withLock { $0 } }
  }

  /// Reads, and reads again after each change that is told.
  private func watch(_ read: @escaping () -> Void) -> Watch {
    let watch = Watch()
    let box = Confined(read)
    @Sendable func track() {
      withObservationTracking(box.value) {
        watch.count.withLock { $0 += 1 }
        track()
      }
    }
    track()
    return watch
  }

  /// Safe: contexts without isolation notify within the change.
  private struct Confined: @unchecked Sendable {
    let value: () -> Void
    init(_ value: @escaping () -> Void) { self.value = value }
  }

  private func context() -> RootContext {
    let context = RootContext(store)
    context.makeObservable()
    context.makeObservable()
    return context
  }

  func testAPropertyIsToldOncePerChangeAndNoOtherIs() async throws {
    let context = context()
    let item = context.insert(Item(name: "a"))
    let other = context.insert(Item(name: "b"))
    let name = watch { _ = item.name }
    let value = watch { _ = item.valueInDollars }
    item.name = "c"
    XCTAssertEqual([name.changes, value.changes], [1, 0])
    item.name = "c"
    other.name = "d"
    XCTAssertEqual([name.changes, value.changes], [1, 0], "nothing reads differently")
    item.valueInDollars = 3
    XCTAssertEqual([name.changes, value.changes], [1, 1])
    try await context.save()
    XCTAssertEqual([name.changes, value.changes], [1, 1], "what was on screen is saved")
    context.group(nil) {
      item.name = "e"
      item.valueInDollars = 4
    }
    XCTAssertEqual(value.changes, 2)
    context.undo()
    XCTAssertEqual(value.changes, 3)
    context.discard()
  }

  func testWhatOthersSaveIsToldWhenTheContextMovesThere() async throws {
    let context = context()
    let item = context.insert(Item(name: "a"))
    try await context.save()
    let name = watch { _ = item.name }
    let value = watch { _ = item.valueInDollars }
    let state = watch { _ = item.state }
    let writer = RootContext(store)
    try writer.object(item.id).name = "b"
    try await writer.save()
    XCTAssertEqual(name.changes, 0)
    try context.refresh()
    XCTAssertEqual([name.changes, value.changes, state.changes], [1, 0, 0])
    XCTAssertEqual(item.name, "b")
    try writer.delete(writer.object(item.id))
    try await writer.save()
    try context.refresh()
    XCTAssertEqual(state.changes, 1)
  }

  func testChildrenAreObservableAndToldOfTheirParents() throws {
    let context = context()
    let item = context.insert(Item(name: "a"))
    let child = context.makeChild()
    let mine = try child.object(item.id)
    let above = watch { _ = mine.name }
    let below = watch { _ = item.name }
    item.name = "b"
    XCTAssertEqual([above.changes, below.changes], [1, 1])
    mine.name = "c"
    XCTAssertEqual([above.changes, below.changes], [2, 1])
    try child.save()
    XCTAssertEqual([above.changes, below.changes], [2, 2])
  }

  func testRelationshipsAreToldAtBothEnds() {
    let context = context()
    let ada = context.insert(Person(name: "Ada"))
    let eve = context.insert(Person(name: "Eve"))
    let item = context.insert(Item(name: "a"))
    let owner = watch { _ = item.owner }
    let ofAda = watch { _ = ada.items.count }
    let ofEve = watch { _ = Array(eve.items) }
    let boss = watch { _ = eve.snapshot }
    item.owner = ada
    XCTAssertEqual([owner, ofAda, ofEve, boss].map(\.changes), [1, 1, 0, 0])
    ada.items.remove(item)
    eve.items.insert(item)
    XCTAssertEqual([owner, ofAda, ofEve, boss].map(\.changes), [3, 2, 1, 0])
    eve.boss = ada
    XCTAssertEqual(boss.changes, 1)
    context.delete(item)
    XCTAssertEqual(ofEve.changes, 2)
  }

  func testAListIsToldWhenItShowsOtherRows() async throws {
    let context = context()
    for fetch in [Fetch<Item>().sorted { $0.name }, Fetch<Item>().sorted { [$0.name, $0.weight] }] {
      let list = try FetchedList(fetch, in: context)
      let rows = watch { _ = list.rows }
      let names = watch { for item in list.rows { _ = item.name } }
      let item = context.insert(Item(name: "b"))
      XCTAssertEqual([rows.changes, names.changes], [1, 1])
      item.name = "c"
      XCTAssertEqual([rows.changes, names.changes], [1, 2], "the same row in the same place")
      context.insert(Item(name: "d"))
      XCTAssertEqual([rows.changes, names.changes], [2, 3])
      item.name = "e"
      XCTAssertEqual([rows.changes, names.changes], [3, 5], "it moves: the rows are others, and so is the name")
      try await context.save()
      context.insert(Person(name: "Ada"))
      XCTAssertEqual([rows.changes, names.changes], [3, 5])
      XCTAssertEqual(list.rows.map(\.name), ["d", "e"])
      try list.setFetch(fetch.filter { $0.name == "e" })
      XCTAssertEqual([rows.changes, names.changes], [4, 6])
      _ = try context.deleteAll(Fetch<Item>())
      try await context.save()
    }
  }

  func testAContextThatIsNotObservableTellsNothing() {
    let context = RootContext(store)
    let item = context.insert(Item(name: "a"))
    let name = watch { _ = item.name }
    item.name = "b"
    XCTAssertEqual(name.changes, 0)
    context.makeObservable()
    let late = watch { _ = item.name }
    item.name = "c"
    XCTAssertEqual(late.changes, 1, "objects that were there before")
  }

  func testTooManyChangesAreToldAsEverything() async throws {
    let context = context()
    let item = context.insert(Item(name: "a"))
    try await context.save()
    let name = watch { _ = item.name }
    let writer = RootContext(store)
    for number in 0..<10_001 { writer.insert(Item(name: "\(number)")) }
    try await writer.save()
    try context.refresh()
    XCTAssertEqual(name.changes, 1)
  }

  /// So that an animation around an assignment has what it causes.
  @MainActor func testAnEditIsToldAtOnceAndNotAgainAtTheEndOfTheTurn() async throws {
    let context = RootContext(store)
    context.makeObservable()
    let item = context.insert(Item(name: "a"))
    let ada = context.insert(Person(name: "Ada"))
    await context.announced(isolation: MainActor.shared)
    let told = Watch()
    func expectTold(_ read: @escaping () -> Void, by edit: () -> Void, line: UInt = #line) async {
      withObservationTracking(read) { told.count.withLock { $0 += 1 } }
      let before = told.changes
      edit()
      XCTAssertEqual(told.changes, before + 1, "told at once", line: line)
      // What a view reads when it is drawn again before the turn ends.
      let again = watch(read)
      await context.announced(isolation: MainActor.shared)
      XCTAssertEqual(again.changes, 0, "told twice", line: line)
    }
    await expectTold({ _ = item.name }, by: { item.name = "b" })
    await expectTold({ _ = ada.items.count }, by: { item.owner = ada })
    await expectTold({ _ = item.owner }, by: { ada.items.remove(item) })
    await expectTold({ _ = ada.items.count }, by: { context.insert(Item(name: "c")).owner = ada })
    await expectTold({ _ = item.state }, by: { context.delete(item) })
    XCTAssertEqual(item.state, .deleted)
  }

  @MainActor func testWhatWasToldEarlyAndIsTakenBackWithinTheTurnIsToldAgain() async throws {
    let context = RootContext(store)
    context.makeObservable()
    let item = context.insert(Item(name: "a"))
    try await context.save()
    item.name = "b"
    let name = watch { _ = item.name }
    context.undo()
    XCTAssertEqual(name.changes, 0)
    await context.announced(isolation: MainActor.shared)
    XCTAssertEqual(item.name, "a")
    XCTAssertEqual(name.changes, 1, "it reads as before the turn, and not as it was told that it would")
  }

  @MainActor func testAListIsToldWhenItIsFlushed() async throws {
    let context = RootContext(store)
    context.makeObservable()
    let list = try FetchedList(Fetch<Item>().sorted { $0.name }, in: context)
    await list.delivered()
    let told = Watch()
    withObservationTracking {
      XCTAssertEqual(list.rows.count, 0)
    } onChange: {
      told.count.withLock { $0 += 1 }
    }
    context.insert(Item(name: "a"))
    XCTAssertEqual(told.changes, 0)
    list.flush()
    XCTAssertEqual(told.changes, 1)
    XCTAssertEqual(list.rows.count, 1)
  }

  func testAnObserverThatEditsWhatItIsToldOfBreaksNothing() async throws {
    let context = context()
    let item = context.insert(Item(name: "a"))
    try await context.save()
    func onNextChange(_ body: @escaping () -> Void) {
      withObservationTracking {
        _ = item.name
      } onChange: { [box = Confined(body)] in
        box.value()
      }
    }
    onNextChange { item.name = "x" }
    item.name = "b"
    XCTAssertEqual(item.name, "x")
    while context.canUndo { context.undo() }
    XCTAssertEqual(item.name, "a")
    onNextChange { context.delete(item) }
    item.name = "c"
    XCTAssertEqual(item.state, .deleted)
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Item>()), 0)
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [])
  }

  func testWhatAnObserverEditsWhenItIsToldComesBackAfterAKillAsItWas() async throws {
    var context = try RootContext(store, draft: "main")
    context.makeObservable()
    let item = context.insert(Item(name: "a"))
    try await context.save()
    func onNextChange(_ body: @escaping () -> Void) {
      withObservationTracking {
        _ = item.name
      } onChange: { [box = Confined(body)] in
        box.value()
      }
    }
    item.valueInDollars = 5
    // It says something else, and it puts it back.
    onNextChange { item.name = "x" }
    item.name = "b"
    onNextChange { item.name = "x" }
    item.name = "c"
    try await store.flush()
    await store.abandon()
    var options = StoreOptions()
    options.isUnflushed = true
    store = try Store.openNow(path, for: Schema(Item.self, Person.self), options)
    context = try RootContext(store, draft: "main")
    let restored = try context.object(item.id)
    XCTAssertEqual(restored.name, "x")
    XCTAssertEqual(restored.valueInDollars, 5)
    while context.canUndo { context.undo() }
    XCTAssertEqual(restored.name, "a")
    XCTAssertEqual(restored.valueInDollars, 0)
  }

  @MainActor func testChangesOfATurnAreToldAtItsEndOnce() async throws {
    let context = RootContext(store)
    context.makeObservable()
    let list = try FetchedList(Fetch<Item>().sorted { $0.name }, in: context)
    let item = context.insert(Item(name: "a"))
    await list.delivered()
    let name = watch { _ = item.name }
    let rows = watch { _ = list.rows }
    for value in ["b", "c", "d"] { item.name = value }
    context.undo()
    context.redo()
    context.insert(Item(name: "e"))
    XCTAssertEqual([name.changes, rows.changes], [3, 0], "edits at once")
    await list.delivered()
    XCTAssertEqual([name.changes, rows.changes], [3, 1])
    try await context.save()
    let writer = RootContext(store)
    try writer.object(item.id).name = "f"
    try await writer.save()
    try context.refresh()
    await list.delivered()
    XCTAssertEqual(name.changes, 4, "what others did")
  }
}
