import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTesting
import XCTest

final class RemoteReadingTests: RemoteTestCase {
  private var source: ArticleSource { device.source }

  func testASourceIsPendingUntilItsFirstPageIsThere() async throws {
    XCTAssertEqual("\(source.loadState)", "loading")
    let waiting = Task { [source] in try await source.ready() }
    await Task.yield()
    try await source.refresh()
    try await waiting.value
    XCTAssertTrue(source.loadState.isLoaded, "an empty list is one, too")
    XCTAssertEqual(source.count, 0)
  }

  func testARefreshBringsWhatCameAndWentAndChanged() async throws {
    let ids = ["a", "b", "c"].map { server.insert($0) }
    try await source.refresh()
    XCTAssertEqual(titles(), ["a", "b", "c"])
    let second = try XCTUnwrap(source.rows.dropFirst().first)
    server.update(ids[1]) { $0.title = "z" }
    server.delete(ids[0])
    server.insert("d")
    var batches: [ListBatch] = []
    let observation = source.observe { batches.append($0) }
    try await source.refresh()
    XCTAssertEqual(titles(), ["c", "d", "z"])
    XCTAssertIdentical(source.rows.last, second, "it is the same object")
    XCTAssertEqual(batches.count, 1)
    XCTAssertFalse(batches.first?.isReset ?? true)
    observation.cancel()
  }

  func testARelaunchedSourceHasItsRowsWithoutTheServer() async throws {
    for title in ["a", "b"] { server.insert(title) }
    try await source.refresh()
    let identifier = source.modelIdentifier(at: RowPath(item: 1))
    let requests = server.reads.count
    try await device.relaunch()
    XCTAssertTrue(source.loadState.isLoaded)
    XCTAssertEqual(titles(), ["a", "b"])
    XCTAssertEqual(identifier.map { source.row(for: $0) }, .row(RowPath(item: 1)))
    XCTAssertEqual(server.reads.count, requests)
  }

  func testWhatDidNotChangeIsNeitherSentNorWritten() async throws {
    server.insert("a")
    try await source.refresh()
    try await source.refresh()
    let head = device.store.log.head
    for _ in 0..<3 { try await source.refresh() }
    XCTAssertEqual(device.store.log.head, head, "a refresh without news writes nothing")
    XCTAssertEqual(server.reads.last?.validator, "r1")
    server.configure { $0.hasValidator = false }
    try await source.refresh()
    let later = device.store.log.head
    try await source.refresh()
    XCTAssertEqual(device.store.log.head, later, "nor does one that is sent everything again")
  }

  func testARefreshBesideAChangeThatWaitsWritesNothing() async throws {
    server.insert("a")
    server.configure { state in
      state.hasValidator = false
      state.refusedTitles = ["bad"]
    }
    try await source.refresh()
    try await edit { $0.title = "bad" }
    for what in ["a change that waits", "one that is refused"] {
      try await source.refresh()
      let head = device.store.log.head
      for _ in 0..<3 { try await source.refresh() }
      XCTAssertEqual(device.store.log.head, head, what)
      try await source.send()
    }
    XCTAssertEqual(try source.conflicts().count, 1)
  }

  func testARefreshOfManyPagesThatBringsNothingNewWritesNothing() async throws {
    for (hasValidator, tellsChanges, loaded, waits) in [
      (false, false, 20, false), (false, false, 20, true), (false, false, 9, false), (true, false, 20, false),
      (true, false, 9, true), (false, true, 20, false), (false, true, 9, false), (true, true, 20, true),
    ] {
      let device = try await Device(ArticleServer())
      for number in 0..<20 { device.server.insert("\(number)") }
      device.server.configure { state in
        (state.pageSize, state.hasValidator, state.tellsChanges) = (4, hasValidator, tellsChanges)
      }
      try await device.source.load(atLeast: loaded)
      if waits {
        try XCTUnwrap(device.source.rows.first).body = "mine"
        try await (device.source.list.context as? RootContext)?.save()
      }
      // The first one may note what the server calls what was read.
      try await device.source.refresh()
      let head = device.store.log.head
      for _ in 0..<3 { try await device.source.refresh() }
      XCTAssertEqual(
        device.store.log.head, head,
        "validator \(hasValidator), changes \(tellsChanges), \(loaded) rows, a change that waits \(waits)")
      XCTAssertEqual(device.source.count, loaded == 9 ? 12 : 20)
    }
  }

  func testWhatTheServerChangedIsInTheLogAsTheSources() async throws {
    server.insert("a")
    try await source.refresh()
    try await device.insert("mine")
    let map = try XCTUnwrap(device.store.map.map(Article.entity.interned))
    let all = try device.store.log.loggedChanges(of: map, after: 0, limit: 1000, except: "nobody").changes
    let others = try device.store.log.loggedChanges(of: map, after: 0, limit: 1000, except: "source").changes
    XCTAssertEqual(all.count, 2)
    XCTAssertEqual(others.count, 1)
  }

  func testPagesAreLoadedOnceEach() async throws {
    for number in 0..<10 { server.insert("\(number)") }
    server.configure { $0.pageSize = 4 }
    try await source.refresh()
    XCTAssertEqual(source.count, 4)
    XCTAssertTrue(source.canLoadMore)
    let other = Task { [source] in try await source.loadMore() }
    try await source.loadMore()
    try await other.value
    XCTAssertEqual(source.count, 8)
    try await device.relaunch()
    XCTAssertTrue(source.canLoadMore, "it goes on where it was")
    try await source.loadMore()
    XCTAssertEqual(source.count, 10)
    XCTAssertFalse(source.canLoadMore)
    try await source.loadMore()
    XCTAssertEqual(server.reads.map(\.page), [nil, "4", "8"])
  }

  func testARefreshReadsThePagesThatAreThere() async throws {
    let ids = (0..<10).map { server.insert("\($0)") }
    server.configure { $0.pageSize = 4 }
    try await source.refresh()
    try await source.loadMore()
    server.update(ids[5]) { $0.body = "new" }
    try await source.refresh()
    XCTAssertEqual(source.rows.first { $0.title == "5" }?.body, "new")
    XCTAssertEqual(source.count, 8)
  }

  func testRowsAreTakenAwayOnlyOnceAllPagesWereRead() async throws {
    let ids = (0..<10).map { server.insert("\($0)") }
    server.configure { $0.pageSize = 4 }
    try await source.load(atLeast: 100)
    server.delete(ids[9])
    server.delete(ids[0])
    try await device.relaunch()
    server.configure { $0.pageSize = 2 }
    try await source.refresh()
    XCTAssertEqual(source.count, 10, "three pages of two do not tell")
    try await source.load(atLeast: 100)
    try await source.loadMore()
    XCTAssertEqual(titles(), (1..<9).map(String.init))
  }

  func testPrefetchingTheLastRowsLoadsThePageBehindThem() async throws {
    for number in 0..<60 { server.insert("\(number)") }
    server.configure { $0.pageSize = 30 }
    try await source.refresh()
    await source.prefetch([RowPath(item: 3), RowPath(item: 99)])
    XCTAssertEqual(source.count, 30)
    await source.prefetch([RowPath(item: 12)])
    XCTAssertEqual(source.count, 60)
  }

  func testACursorBringsOnlyWhatChanged() async throws {
    let ids = (0..<10).map { server.insert("\($0)") }
    server.configure {
      $0.tellsChanges = true
      $0.pageSize = 4
    }
    try await source.load(atLeast: 100)
    server.delete(ids[3])
    server.update(ids[4]) { $0.title = "x" }
    let new = (0..<6).map { server.insert("n\($0)") }
    try await device.relaunch()
    try await source.refresh()
    XCTAssertEqual(Set(titles()), Set(server.rows.map(\.title)))
    XCTAssertEqual(new.count, 6)
    XCTAssertEqual(server.reads.suffix(2).map(\.cursor), ["10", "10"])
    server.configure { $0.oldestCursor = 1000 }
    server.delete(ids[5])
    try await source.refresh()
    try await source.load(atLeast: 100)
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertEqual(Set(titles()), Set(server.rows.map(\.title)), "an expired cursor begins anew")
  }

  func testARowThatMovedToAPageReadBeforeIsNeitherMissedNorTakenAway() async throws {
    server.configure {
      $0.tellsChanges = true
      $0.hasValidator = false
      $0.pageSize = 4
    }
    let ids = (0..<8).map { server.insert("\($0)") }
    try await source.load(atLeast: 100)
    try await device.relaunch()
    server.configure {
      $0.oldestCursor = 1000
      $0.pageSize = 2
    }
    // All is read anew, as many pages as there were.
    try await source.refresh()
    XCTAssertTrue(source.canLoadMore)
    // The fifth row moves to a page that was read already.
    server.delete(ids[0])
    server.configure { $0.oldestCursor = 0 }
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertTrue(titles().contains("4"), "it is on the server, and was on no page")
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertEqual(titles(), (1..<8).map(String.init))
    let reads = server.reads.count
    try await source.refresh()
    XCTAssertNotNil(server.reads.last?.cursor, "a list that was read as a whole is followed by its changes")
    XCTAssertEqual(server.reads.count, reads + 1)
  }

  func testAFailedRefreshLeavesTheRows() async throws {
    server.insert("a")
    server.configure { $0.fault = { _ in (RemoteError.denied(reason: "who are you"), .before) } }
    do {
      try await source.refresh()
      XCTFail("it failed")
    } catch RemoteError.denied {}
    guard case .failed = source.loadState else { return XCTFail("there is nothing to show") }
    server.configure { $0.fault = nil }
    try await source.refresh()
    XCTAssertTrue(source.loadState.isLoaded)
    server.configure { $0.fault = { _ in (RemoteError.denied(reason: "who are you"), .before) } }
    do {
      try await source.refresh()
      XCTFail("it failed")
    } catch RemoteError.denied {}
    XCTAssertTrue(source.loadState.isLoaded, "there are rows")
    XCTAssertNotNil(source.failure)
    XCTAssertEqual(titles(), ["a"])
  }

  func testAStoreWithoutTheKitsModelsIsRefused() async throws {
    let temporary = try await TemporaryStore(for: Article.self)
    XCTAssertThrowsError(
      try ArticleSource(
        "articles", Fetch(), in: RootContext(temporary.store), from: server, mapping: ArticleRecord.mapping)
    ) { error in
      guard case RemoteError.missingModels = error else { return XCTFail("\(error)") }
    }
  }

  func testTwoSourcesOfAStoreReadAtOnceAndHaveEachRowOnce() async throws {
    let ids = (0..<50).map { server.insert("\($0)") }
    let other = try device.another()
    for round in 0..<5 {
      server.update(ids[round]) { $0.body = "\(round)" }
      let task = Task { try await other.refresh() }
      try await source.refresh()
      try await task.value
    }
    XCTAssertEqual(try device.context.count(Fetch<Article>()), 50)
  }

  func testUncommittedEditsStayOnScreenOverARefresh() async throws {
    let id = server.insert("a")
    try await source.refresh()
    let child = device.context.makeChild()
    try child.object(XCTUnwrap(source.rows.first).id).title = "typed"
    try article.body = "typed as well"
    server.update(id) { $0.body = "theirs" }
    try await source.refresh()
    XCTAssertEqual(try article.body, "typed as well")
    do {
      try await device.context.save()
      XCTFail("the server's change was not seen when this was typed")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts.map(\.theirs), [.string("theirs")])
    }
    try await device.context.save(merging: .mine)
    try await source.synchronize()
    XCTAssertEqual(server.rows.map(\.body), ["typed as well"])
    XCTAssertEqual(try child.object(article.id).title, "typed")
  }
}
