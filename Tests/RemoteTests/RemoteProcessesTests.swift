import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseRemote
import XCTest

@testable import RepriseEventStore

/// Several processes with one source: each has its own place in the server's list, and the store has one for all.
final class RemoteProcessesTests: RemoteTestCase {
  private var source: ArticleSource { device.source }

  /// Asks the server for something, and holds one of its answers back until ``Held/arrive()``: the first, or one after
  /// it.
  private func hold(_ later: Int = 0, _ body: @escaping @MainActor () async throws -> Void) async -> Held {
    let (opening, gate) = AsyncStream<Void>.makeStream()
    let number = server.requests + 1 + later
    server.configure { $0.onItsWay = { if $0 == number { for await _ in opening { break } } } }
    let task = Task { try await body() }
    while server.requests < number { await Task.yield() }
    return Held(task: task, gate: gate)
  }

  private struct Held {
    let task: Task<Void, any Error>
    let gate: AsyncStream<Void>.Continuation

    func arrive() async throws {
      gate.yield()
      try await task.value
    }
  }

  func testAPageThatArrivesAfterANewerOneIsReadAgain() async throws {
    server.configure { $0.pageSize = 2 }
    let ids = (0..<3).map { server.insert("\($0)") }
    try await source.refresh()
    let other = try device.another()
    let held = await hold { try await other.refresh() }
    server.update(ids[0]) { $0.body = "new" }
    try await source.refresh()
    try await held.arrive()
    while source.canLoadMore { try await source.loadMore() }
    try await source.refresh()
    XCTAssertEqual(source.rows.map(\.body), ["new", "", ""])
  }

  func testChangesThatArriveAfterNewerOnesDoNotUndoThem() async throws {
    server.configure { $0.tellsChanges = true }
    let id = server.insert("a")
    try await source.refresh()
    let other = try device.another()
    server.update(id) { $0.body = "old" }
    let held = await hold { try await other.refresh() }
    server.update(id) { $0.body = "new" }
    try await source.refresh()
    try await held.arrive()
    XCTAssertEqual(source.rows.map(\.body), ["new"])
    try await source.refresh()
    XCTAssertEqual(source.rows.map(\.body), ["new"])
    XCTAssertEqual(other.rows.map(\.body), ["new"])
  }

  func testAnOlderPageDoesNotUndoANewerOneOfSeveralBeforeTheCursorMoves() async throws {
    server.configure {
      $0.tellsChanges = true
      $0.pageSize = 1
    }
    let ids = ["a", "b"].map { server.insert($0) }
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    let other = try device.another()
    for id in ids { server.update(id) { $0.body = "old" } }
    let older = await hold { try await other.refresh() }
    for id in ids { server.update(id) { $0.body = "new" } }
    // One of its pages is taken over, the other one is on its way.
    let newer = await hold(1) { try await self.source.refresh() }
    try await older.arrive()
    try await newer.arrive()
    try await source.refresh()
    XCTAssertEqual(source.rows.map(\.body), ["new", "new"])
  }

  func testARowThatHasToBeReadAnewIsAlsoIfAnotherProcessReadsTheLastPage() async throws {
    for number in 0..<3 { server.insert("\(number)") }
    server.configure { $0.pageSize = 2 }
    try await source.refresh()
    try await device.insert("new")
    try await sendAndDie(.after)
    try await device.relaunch()
    // The row is gone again before its answer comes, and nothing says so but the pages.
    server.delete("4")
    let other = try device.another()
    try await other.refresh()
    try await source.send()
    while other.canLoadMore { try await other.loadMore() }
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertEqual(titles(), ["0", "1", "2"])
  }

  func testARowThatAnotherProcessMakesWhileThePagesAreReadStays() async throws {
    for number in 0..<3 { server.insert("\(number)") }
    server.configure { $0.pageSize = 2 }
    let made = try await device.insert("made", remoteID: "x").id
    try await source.refresh()
    let other = try device.another()
    try await other.send()
    // It stands on a page that was read before.
    server.configure { $0.rows.insert($0.rows.removeLast(), at: 0) }
    while source.canLoadMore { try await source.loadMore() }
    try await source.refresh()
    XCTAssertEqual(source.rows.first { $0.title == "made" }?.id, made)
  }

  func testAProcessThatReadsAloneNotesThatNothingChanged() async throws {
    server.configure { $0.pageSize = 2 }
    for number in 0..<5 { server.insert("\(number)") }
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    try await device.insert("x")
    try await source.send()
    let requests = server.reads.count
    let other = try device.another()
    try await other.refresh()
    while other.canLoadMore { try await other.loadMore() }
    try await source.refresh()
    XCTAssertNotNil(server.reads.last?.validator, "the list was read as a whole")
    XCTAssertEqual(server.reads.count, requests + 4)
  }

  func testARunningSourceSendsWhatAnotherProcessSaves() async throws {
    // Then the running source alone waits for others.
    device.store.followsOtherProcesses = false
    let running = Task { [source] in try await source.run() }
    server.insert("theirs")
    while titles() != ["theirs"] { try await Task.sleep(for: .milliseconds(1)) }
    let deadline = ContinuousClock.now + .seconds(20)
    for number in 1...3 {
      // Until nothing here reads the store any more: without the system's word the rest waits for ever.
      try await Task.sleep(for: .milliseconds(200))
      try device.store.insertAsAnotherProcess(Article("from elsewhere"))
      while server.rows.count <= number, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(1))
      }
      XCTAssertEqual(server.rows.count, number + 1)
    }
    running.cancel()
    _ = await running.result
    XCTAssertFalse(device.store.others.isWatching, "nobody waits for others any more")
  }
}

extension Store {
  /// Saves a new object of which this process is not told.
  fileprivate func insertAsAnotherProcess(_ object: some PersistentModel) throws {
    let request = SaveRequest(base: log.head, changes: [(object._storage.id, .inserted(object._storage.values))])
    try environment.write { transaction in
      var appender = try TransactionAppender(tables, logID: logID, map: map, transaction.view)
      let plan = try SavePlan(request, appender.map, tables, transaction.view)
      _ = try appender.append(plan, request, transaction)
      try appender.finish(transaction)
    }
  }
}
