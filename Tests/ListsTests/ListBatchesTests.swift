import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@MainActor
final class ListBatchesTests: XCTestCase {
  private let byName = Fetch<Item>().sorted { $0.name }

  func testEachOfSeveralIterationsReceivesEveryBatch() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    var list: FetchedList<Item>? = try FetchedList(byName, in: context)
    let batches = try XCTUnwrap(list).batches
    let others = try XCTUnwrap(list).batches
    var first = batches.makeAsyncIterator()
    var second = batches.makeAsyncIterator()
    for number in 1...3 {
      context.insert(Item(name: "\(number)"))
      await list?.delivered()
    }
    // None of them waited while the batches came.
    list = nil
    for expected in [1, 2, 3] {
      let one = await first.next(isolation: #isolation)
      let two = await second.next(isolation: #isolation)
      XCTAssertEqual(one?.after.count, expected)
      XCTAssertEqual(two?.after.count, expected)
    }
    let end = await first.next(isolation: #isolation)
    XCTAssertNil(end, "the list is gone")
    var counts: [Int] = []
    for await batch in others { counts.append(batch.after.count) }
    XCTAssertEqual(counts, [1, 2, 3], "an iteration begins when the sequence was asked for")
    for await _ in others { XCTFail("the list is gone") }
  }

  func testWhatAnIterationFallsBehindByBecomesOneReset() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let list = try FetchedList(byName, in: context)
    var iterator = list.batches.makeAsyncIterator()
    for number in 1...64 {
      context.insert(Item(name: "\(number)"))
      list.flush()
    }
    let first = await iterator.next(isolation: #isolation)
    XCTAssertEqual(first?.after.count, 1, "64 are kept")
    XCTAssertEqual(first?.isReset, false)
    for number in 65...66 {
      context.insert(Item(name: "\(number)"))
      list.flush()
    }
    let reset = await iterator.next(isolation: #isolation)
    XCTAssertEqual(reset?.isReset, true)
    XCTAssertEqual(reset?.before.count, 1)
    XCTAssertEqual(reset?.after.count, 66)
    context.insert(Item(name: "67"))
    list.flush()
    let next = await iterator.next(isolation: #isolation)
    XCTAssertEqual(next?.before.count, 66)
    XCTAssertEqual(next?.isReset, false)
  }

  func testACancelledTaskEndsItsLoopWhetherItWaitsOrNot() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let list = try FetchedList(byName, in: context)
    var received = 0
    let waiting = Task { for await _ in list.batches { received += 1 } }
    while received == 0 {
      context.insert(Item(name: "a"))
      await Task.yield()
    }
    waiting.cancel()
    await waiting.value
    let early = Task { for await _ in list.batches { XCTFail("cancelled before it began") } }
    early.cancel()
    await early.value
  }

  func testFlushDeliversWhatTheTurnChangedOnce() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    let list = try FetchedList(byName, in: context)
    let recorder = Recorder(list)
    context.insert(Item(name: "b"))
    context.insert(Item(name: "a"))
    XCTAssertEqual(recorder.batches.count, 0)
    list.flush()
    XCTAssertEqual(recorder.batches.map(\.after.count), [2])
    list.flush()
    await list.delivered()
    XCTAssertEqual(recorder.batches.count, 1, "the end of the turn has nothing to add")
    context.insert(Item(name: "c"))
    await list.delivered()
    XCTAssertEqual(recorder.batches.map(\.after.count), [2, 3])
    await list.delivered()
    recorder.cancel()
    context.insert(Item(name: "d"))
    list.flush()
    XCTAssertEqual(list.names, ["a", "b", "c", "d"], "nobody observes")
  }

  func testReadyWaitsForASourceThatIsNot() async throws {
    let source = LateSource()
    let waiting = Task { try await source.ready() }
    await Task.yield()
    source.become(.loading)
    source.become(.loaded)
    try await waiting.value
    try await source.ready()
    source.become(.failed(CancellationError()))
    do {
      try await source.ready()
      XCTFail("it failed")
    } catch is CancellationError {}
    source.become(.loading)
    let failing = Task { try await source.ready() }
    await Task.yield()
    source.become(.failed(StoreIsGone()))
    do {
      try await failing.value
      XCTFail("it failed")
    } catch is StoreIsGone {}
    source.become(.loading)
    let cancelled = Task { try await source.ready() }
    await Task.yield()
    cancelled.cancel()
    do {
      try await cancelled.value
      XCTFail("cancelled")
    } catch is CancellationError {}
  }
}

private struct StoreIsGone: Error {}

/// A source that loads its rows.
@MainActor private final class LateSource: @MainActor DataSource {
  private let observers = ListObservers()
  private(set) var loadState = LoadState.loading
  func rowCount(inSection section: Int) -> Int { 0 }
  func element(at path: RowPath) -> String { "" }
  func modelIdentifier(at path: RowPath) -> ModelIdentifier? { nil }
  func row(for identifier: ModelIdentifier) -> RowLookup { .notLoaded }
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { observers.add(body) }

  func become(_ loadState: LoadState) {
    self.loadState = loadState
    observers.deliver(ListBatch(before: snapshot, after: snapshot))
  }
}
