import Foundation
import RepriseCore
import RepriseHTTP
import RepriseRemote
import Synchronization
import XCTest

/// Lists of several pages, over HTTP: what servers say of them, and what goes wrong between two of them.
@MainActor
final class JSONPagingTests: NewsTestCase {
  private var isUnavailable: (RemoteError) -> Bool { { if case .unavailable = $0 { true } else { false } } }

  /// Reads all pages.
  private func readAll(of count: Int, pageSize: Int = 3) async throws -> NewsSource {
    insertRows(count)
    news.configure { $0.pageSize = pageSize }
    let source = try XCTUnwrap(source)
    try await source.load(atLeast: count)
    XCTAssertEqual(try articles(), news.rows)
    return source
  }

  private func readsAgain(_ body: () async throws -> Void) async throws -> [Int] {
    news.configure { $0.readStatuses = [] }
    try await body()
    return news.state.withLock { $0.readStatuses }
  }

  // MARK: Tags and cursors

  func testOnlyPagesThatChangedAreSentAgain() async throws {
    news.configure { $0.tagsPages = true }
    try await open { transport in
      transport.keys.records = "items"
      transport.keys.next = "meta.next_cursor"
    }
    let source = try await readAll(of: 8)
    let unchanged = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(unchanged, [304, 304, 304])
    news.configure { $0.rows[4].title = "n104 and more" }
    let changed = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(changed, [304, 200, 304])
    XCTAssertEqual(try articles(), news.rows)
    // A row that is on no page any more is deleted, though two pages were not sent.
    news.configure { $0.rows.removeLast() }
    let shorter = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(shorter, [304, 304, 200, 304, 304, 304], "and read again, as no tag is that of the whole list")
    XCTAssertEqual(try articles(), news.rows)
    // Whatever else changed here meanwhile is put right by a page that did not change.
    try await edit { $0.body = "mine" }
    try await source.send()
    news.configure { state in
      state.rows[0].body = nil
      state.rows[0].version = 1
    }
    let back = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(back.first, 304, "as the server had it before")
    XCTAssertEqual(try articles(), news.rows)
  }

  /// The body of the last page is the same when it gets a successor, and so is its tag where that is the body's.
  func testAPageWhoseLinkAloneChangedLeadsToItsSuccessor() async throws {
    news.configure { $0.tagsBodies = true }
    try await open { _ in }
    let source = try await readAll(of: 6)
    let row = NewsServer.Row(id: "late", title: "n900", version: 1)
    news.configure { $0.rows.append(row) }
    let longer = try await readsAgain {
      try await source.refresh()
      try await source.load(atLeast: 7)
    }
    XCTAssertEqual(longer, [304, 304, 200])
    XCTAssertEqual(try articles(), news.rows)
    // The link that came with the 304 is kept.
    let same = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(same, [304, 304, 304])
    XCTAssertEqual(try articles(), news.rows)
    news.configure { $0.rows.removeLast() }
    let shorter = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(shorter, [304, 304, 304, 304])
    XCTAssertEqual(try articles(), news.rows)
  }

  func testAListOfOnePageThatGotASecondOneIsReadWhole() async throws {
    news.configure { $0.tagsBodies = true }
    try await open { _ in }
    let source = try await readAll(of: 3)
    let same = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(same, [304])
    let row = NewsServer.Row(id: "late", title: "n900", version: 1)
    news.configure { $0.rows.append(row) }
    let longer = try await readsAgain {
      try await source.refresh()
      try await source.load(atLeast: 4)
    }
    XCTAssertEqual(longer, [304, 200, 200])
    XCTAssertEqual(try articles(), news.rows)
  }

  func testPagesOfAnotherUserAreAskedAnew() async throws {
    let user = Mutex("ada")
    news.configure { $0.tagsPages = true }
    try await open { transport in
      transport.keys.records = "items"
      transport.keys.next = "meta.next_cursor"
      transport.headers = { [("Authorization", "Bearer secret"), ("X-User", user.withLock { $0 })] }
    }
    let source = try await readAll(of: 6)
    user.withLock { $0 = "bob" }
    let statuses = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(statuses, [200, 200])
  }

  func testWhatIsKeptOfPagesHasALimit() async throws {
    news.configure { $0.tagsPages = true }
    for (limit, expected) in [(0, [200, 200, 200]), (150, [304, 200, 200])] {
      try await setUpAgain()
      news.configure { $0.rows = [] }
      try await open { transport in
        transport.keys.records = "items"
        transport.keys.next = "meta.next_cursor"
        transport.pageCacheLimit = limit
      }
      let source = try await readAll(of: 6, pageSize: 2)
      let statuses = try await readsAgain { try await source.refresh() }
      XCTAssertEqual(statuses, expected)
    }
  }

  func testWhatChangedSinceACursorComesInPages() async throws {
    news.configure { $0.tellsChanges = true }
    let source = try await readAll(of: 9, pageSize: 4)
    news.configure { state in
      state.rows.removeFirst(2)
      for index in 0..<6 { state.rows[index].title += "!" }
    }
    let statuses = try await readsAgain { try await source.refresh() }
    XCTAssertEqual(statuses, [200, 200], "six of seven rows")
    XCTAssertEqual(try articles(), news.rows)
    XCTAssertEqual(news.requests.last?.query["page"], "4")
    XCTAssertNotNil(news.requests.last?.query["since"])
    // The next launch goes on from there.
    try await open { _ in }
    news.configure { $0.rows[0].title += "?" }
    try await self.source?.refresh()
    XCTAssertEqual(try articles(), news.rows)
    XCTAssertNotNil(news.requests.last?.query["since"])
    // A cursor that is too old.
    news.configure { state in
      state.rows.removeLast()
      state.oldestCursor = .max
    }
    try await self.source?.refresh()
    try await self.source?.load(atLeast: 100)
    XCTAssertEqual(try articles(), news.rows)
  }

  // MARK: What goes wrong in between

  func testAServerThatFailsInTheMiddleOfItsPagesTakesNothingAway() async throws {
    let source = try await readAll(of: 9)
    let news = news
    news.configure { state in
      state.rows.remove(at: 4)
      state.gate = { request in
        if request.query["page"] == "3" { news.configure { $0.isDown = true } }
      }
    }
    await assertThrows(isUnavailable)
    XCTAssertEqual(source.count, 9, "what was on no page may be on one that was not read")
    XCTAssertTrue(source.loadState.isLoaded)
    news.configure { state in
      state.isDown = false
      state.gate = nil
    }
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertEqual(try articles(), news.rows)
  }

  func testAPageThatFailedIsTheNextOneAgain() async throws {
    insertRows(7)
    news.configure { $0.pageSize = 3 }
    let source = try XCTUnwrap(source)
    try await source.refresh()
    news.configure { $0.isDown = true }
    await assertThrows(isUnavailable) { try await source.loadMore() }
    XCTAssertTrue(source.canLoadMore)
    XCTAssertEqual(source.count, 3)
    try await open { _ in }
    news.configure { $0.isDown = false }
    let reopened = try XCTUnwrap(self.source)
    XCTAssertEqual(reopened.count, 3)
    try await reopened.loadMore()
    XCTAssertEqual(try articles(), Array(news.rows.prefix(6)))
    try await reopened.loadMore()
    XCTAssertEqual(try articles(), news.rows)
  }

  func testARefreshThatIsCancelledInTheMiddleOfItsPagesTakesNothingAway() async throws {
    let source = try await readAll(of: 9)
    let (arrived, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    news.configure { state in
      state.rows.remove(at: 4)
      state.gate = { request in
        guard request.query["page"] == "3" else { return }
        arrived.signal()
        leave.wait()
      }
    }
    let refreshing = Task { try await source.refresh() }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        arrived.wait()
        continuation.resume()
      }
    }
    refreshing.cancel()
    do {
      try await refreshing.value
      XCTFail("not cancelled")
    } catch is CancellationError {}
    XCTAssertEqual(source.count, 9)
    news.configure { $0.gate = nil }
    leave.signal()
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertEqual(try articles(), news.rows)
  }

  func testARowOnTwoPagesIsThereOnceAndNoneIsLost() async throws {
    insertRows(8)
    let news = news
    news.configure { state in
      state.pageSize = 3
      // Each page but the first is read after a row has come in front of it: its first row was on the one before.
      state.gate = { request in
        guard request.query["page"] != nil else { return }
        news.configure { state in
          state.rows.insert(.init(id: "\(state.nextID)", title: "n0\(state.nextID)", body: nil, version: 1), at: 0)
          state.nextID += 1
        }
      }
    }
    let source = try XCTUnwrap(source)
    try await source.load(atLeast: 9)
    XCTAssertEqual(Set(try articles().map(\.id)).count, source.count)
    XCTAssertTrue(Set(try articles().map(\.id)).isSuperset(of: (1...8).map { "\($0)" }))
    news.configure { $0.gate = nil }
    while source.canLoadMore { try await source.loadMore() }
    try await source.refresh()
    while source.canLoadMore { try await source.loadMore() }
    XCTAssertEqual(Set(try articles()), Set(news.rows))
  }

  // MARK: When to ask again

  func testAServerIsAskedAgainAfterTheTimeThatItSays() async throws {
    insertRows(1)
    let dates = DateFormatter()
    dates.locale = Locale(identifier: "en_US_POSIX")
    dates.timeZone = TimeZone(identifier: "GMT")
    dates.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let source = try XCTUnwrap(source)
    let inAMinute = dates.string(from: Date() + 60)
    for (status, text, expected) in [
      (429, "7", Duration.seconds(7)...Duration.seconds(7)), (503, inAMinute, .seconds(40)...(.seconds(60))),
    ] {
      let count = clock.sleeps.count
      news.configure { $0.interruption = { _ in .some(.init(status: status, headers: ["Retry-After": text])) } }
      try await source.refresh()
      XCTAssertEqual(try articles(), news.rows)
      let slept = clock.sleeps.dropFirst(count).reduce(.zero, +)
      XCTAssertTrue(expected.contains(slept), "\(text): \(slept)")
    }
    // Longer than a call waits: whoever asks before is not even heard.
    news.configure { $0.interruption = { _ in .some(.init(status: 503, headers: ["Retry-After": "3600"])) } }
    await assertThrows(isUnavailable)
    let count = news.requests.count
    await assertThrows(isUnavailable)
    XCTAssertEqual(news.requests.count, count)
    clock.advance(by: .seconds(3_601))
    try await source.refresh()
    // A date that has passed, and words that are neither, are no reason to wait for long.
    for text in ["Thu, 01 Jan 1970 00:00:00 GMT", "soon"] {
      news.configure { $0.interruption = { _ in .some(.init(status: 503, headers: ["Retry-After": text])) } }
      try await source.refresh()
    }
    XCTAssertEqual(try articles(), news.rows)
  }
}
