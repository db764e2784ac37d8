import RepriseLists
import RepriseRemote
import XCTest

final class RemoteRetryTests: RemoteTestCase {
  private let clock = VirtualClock()
  private var source: ArticleSource { device.source }

  private func relaunch(_ change: (inout RemoteOptions) -> Void = { _ in }) async throws {
    var options = RemoteOptions()
    options.clock = clock
    change(&options)
    try await device.relaunch(options)
  }

  /// Fails the first requests.
  private func fail(_ count: Int, retryAfter: Duration? = nil) {
    server.configure { state in
      let before = state.requests
      state.fault = { number in
        number - before > count
          ? nil : (RemoteError.unavailable(reason: "overload", retryAfter: retryAfter), .before)
      }
    }
  }

  private func assertUnavailable(_ body: () async throws -> Void, line: UInt = #line) async throws {
    do {
      try await body()
      XCTFail("it failed", line: line)
    } catch RemoteError.unavailable {}
  }

  func testAServerThatDoesNotAnswerIsAskedLessAndLessOften() async throws {
    try await relaunch { $0.retry.attempts = 6 }
    server.insert("a")
    fail(5)
    try await source.refresh()
    XCTAssertEqual(titles(), ["a"])
    XCTAssertEqual(clock.sleeps.count, 5)
    var longest = Duration.milliseconds(500)
    for sleep in clock.sleeps {
      XCTAssertTrue((longest / 2...longest).contains(sleep), "\(sleep) of \(longest)")
      longest *= 2
    }
  }

  func testACallGivesUpAfterItsAttempts() async throws {
    try await relaunch()
    fail(3)
    try await assertUnavailable { try await source.refresh() }
    XCTAssertEqual(server.state.withLock { $0.requests }, 3)
    try await source.refresh()
  }

  func testAServerIsNotAskedBeforeItWantsToBe() async throws {
    try await relaunch()
    fail(1, retryAfter: .seconds(7))
    try await source.refresh()
    XCTAssertEqual(clock.sleeps, [.seconds(7)])
    fail(1, retryAfter: .seconds(600))
    try await assertUnavailable { try await source.refresh() }
    let requests = server.state.withLock { $0.requests }
    clock.advance(by: .seconds(300))
    try await assertUnavailable { try await source.refresh() }
    XCTAssertEqual(server.state.withLock { $0.requests }, requests, "half of the time is over")
    clock.advance(by: .seconds(300))
    try await source.refresh()
    XCTAssertEqual(clock.sleeps.count, 1, "it does not wait for longer than its patience")
  }

  /// A clock that is ahead, or a mistake: without a limit, nothing but a relaunch would end it.
  func testALongRetryAfterIsAskedAgainAfterAnHour() async throws {
    try await relaunch()
    server.insert("a")
    fail(1, retryAfter: .seconds(86_400))
    try await assertUnavailable { try await source.refresh() }
    let requests = server.requests
    clock.advance(by: .seconds(3_500))
    do {
      try await source.refresh()
      XCTFail("it was asked")
    } catch RemoteError.unavailable(let reason, let after, _) {
      XCTAssertEqual(reason, "the server asked for a pause (Retry-After)")
      XCTAssertEqual(after, .seconds(100))
    }
    XCTAssertEqual(server.requests, requests)
    clock.advance(by: .seconds(100))
    try await source.refresh()
    XCTAssertEqual(titles(), ["a"])
  }

  func testARunningSourceAsksAgainAfterAnHour() async throws {
    try await relaunch()
    server.insert("a")
    fail(1, retryAfter: .seconds(86_400))
    let running = Task { [source] in try await source.run() }
    while titles() != ["a"] { try await Task.sleep(for: .milliseconds(1)) }
    running.cancel()
    _ = await running.result
    XCTAssertEqual(clock.sleeps.max(), .seconds(3_600))
  }

  func testWhatIsDeniedIsNotTriedAgain() async throws {
    try await relaunch()
    server.configure { $0.fault = { _ in (RemoteError.denied(reason: "log in"), .before) } }
    do {
      try await source.refresh()
      XCTFail("it failed")
    } catch RemoteError.denied {}
    XCTAssertEqual(server.state.withLock { $0.requests }, 1)
  }

  func testARunningSourceSendsWhatIsSavedAndGoesOnAfterFailures() async throws {
    try await relaunch()
    var problems: [any Error] = []
    source.onProblem = { problems.append($0) }
    server.insert("theirs")
    fail(8)
    let running = Task { [source] in try await source.run() }
    while titles() != ["theirs"] { try await Task.sleep(for: .milliseconds(1)) }
    XCTAssertFalse(problems.isEmpty)
    try await device.insert("mine")
    while server.rows.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    try await edit { $0.body = "edited" }
    while !server.rows.contains(where: { $0.body == "edited" }) { try await Task.sleep(for: .milliseconds(1)) }
    running.cancel()
    let result = await running.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
  }

  func testACancelledRefreshLeavesTheRowsAndTheNextOneReads() async throws {
    try await relaunch()
    for number in 0..<30 { server.insert("\(number)") }
    server.configure { $0.pageSize = 3 }
    try await source.load(atLeast: 30)
    server.insert("new", at: 0)
    for yields in 0..<30 {
      let task = Task { [source] in try await source.refresh() }
      for _ in 0..<yields { await Task.yield() }
      task.cancel()
      _ = await task.result
      XCTAssertTrue(source.loadState.isLoaded)
      XCTAssertGreaterThanOrEqual(source.count, 30)
    }
    try await source.refresh()
    XCTAssertEqual(source.count, 31)
  }
}
