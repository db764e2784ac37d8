import RepriseRestoration
import XCTest

final class LateTests: RestorationTestCase {
  private struct Closed: Error {}

  private func leaveLists() async throws {
    let first = restoration()
    try first.register(Shelf(""), as: Keys.shelf)
    try first.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try first.definePlain()
    try await first.restore()
    _ = try first.open(ListScreen.kind, id: "list", state: Row(row: 5))
    try first.openPlain("list/detail", 6)
    try first.openPlain("plain")
    try first.save()
    await endOfTurn()
    storage.writes = []
  }

  private func waitingRun(
    _ gate: Gate, within limit: Duration? = nil, placeholder: Shelf? = nil, _ clock: Clock? = nil
  ) async throws -> Restoration {
    let run = Restoration(
      storage: storage, appVersion: "1.0",
      sleep: { time in if let clock { await clock.sleep(time) } else { try await Task.sleep(for: time) } })
    run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: 1)
    try run.register(late: Keys.shelf, within: limit, placeholder: placeholder) { try await gate.value() }
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try run.definePlain()
    try await run.restore()
    return run
  }

  func testWhoeverWaitsForASceneThatEndsIsToldSo() async throws {
    try await leaveLists()
    let gate = Gate()
    let run = try await waitingRun(gate)
    let waiting = Task { try await run.waitUntilSettled() }
    await endOfTurn()
    run.end()
    gate.open(.success(Shelf("too late")))
    do {
      _ = try await waiting.value
      XCTFail("the scene has ended")
    } catch RestorationError.ended("main") {
    }
  }

  func testWhatIsLateHoldsUpOnlyWhatNeedsItAndNothingIsOverwritten() async throws {
    try await leaveLists()
    let before = storage.records
    let gate = Gate()
    let run = try await waitingRun(gate)
    let report = try XCTUnwrap(run.report)
    XCTAssertEqual(report.outcome("list"), .pending(key: "shelf"))
    XCTAssertEqual(report.outcome("list/detail"), .pending(key: "shelf"))
    XCTAssertEqual(report.outcome("plain"), .restored)
    XCTAssertFalse(report.isSettled)
    try run.save()
    XCTAssertEqual(storage.records, before)
    XCTAssertThrowsError(try run.open(ListScreen.kind, id: "other", state: Row())) { error in
      guard case .notReady(key: "shelf", _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    gate.open(.success(Shelf("late")))
    let settled = try await run.waitUntilSettled()
    XCTAssertTrue(settled.isSettled)
    XCTAssertEqual(settled.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.shelf.name, "late")
    XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.node.state.row, 5)
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("list/detail"))?.node.state.row, 6)
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testWhatComesAfterThirtySecondsFindsItsNodesAndNothingWasOverwritten() async throws {
    try await leaveLists()
    let before = storage.records
    let (gate, clock) = (Gate(), Clock())
    let run = try await waitingRun(gate, within: .seconds(60), clock)
    await clock.advance(.seconds(30))
    XCTAssertEqual(run.report?.outcome("list"), .pending(key: "shelf"))
    XCTAssertEqual(run.lateObjects.map(\.stage), [.pending])
    XCTAssertEqual(run.lateObjects.map(\.waitingNodes), [1])
    try run.save()
    XCTAssertEqual(storage.records, before)
    gate.open(.success(Shelf("late")))
    let settled = try await run.waitUntilSettled()
    XCTAssertEqual(settled.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(run.lateObjects, [])
    await clock.advance(.seconds(60), waking: 0)
    XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored, .restored], "the deadline is over")
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testWhatNeverComesIsSkippedAtItsDeadlineAndItsStateKeptLaunchAfterLaunch() async throws {
    try await leaveLists()
    let before = storage.nodes
    let skipped = RestorationReport.Outcome.skipped(reason: "'shelf' did not arrive within 5.0 seconds")
    for row in 1...4 {
      let (gate, clock) = (Gate(), Clock())
      let run = try await waitingRun(gate, within: .seconds(5), clock)
      var told = 0
      run.onLateProgress = { told += 1 }
      run.reportProgress(0.25, of: Keys.shelf)
      XCTAssertEqual(run.lateObjects.map(\.fraction), [0.25])
      await clock.advance(.seconds(4))
      XCTAssertEqual(run.report?.outcome("list"), .pending(key: "shelf"))
      await clock.advance(.seconds(1))
      let report = try await run.waitUntilSettled()
      XCTAssertEqual(report.outcome("list"), skipped)
      XCTAssertEqual(report.dropped, [])
      XCTAssertEqual(run.lateObjects.map(\.stage), [.overdue])
      XCTAssertEqual(told, 2)
      try run.screen(PlainScreen.kind, at: .of("plain"))?.node.state.row = row
      try run.save()
      XCTAssertEqual(storage.nodes["list"], before["list"])
      XCTAssertEqual(storage.nodes["list/detail"], before["list/detail"])
      if row == 4 {
        // Better late than never.
        gate.open(.success(Shelf("very late")))
        for _ in 0..<20 { await Task.yield() }
        XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.shelf.name, "very late")
        XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.node.state.row, 5)
      }
    }
  }

  func testAPlaceholderTakesThePlaceOfWhatDoesNotComeInTime() async throws {
    try await leaveLists()
    let before = storage.nodes
    let (gate, clock) = (Gate(), Clock())
    let run = try await waitingRun(gate, within: .seconds(5), placeholder: Shelf("placeholder"), clock)
    await clock.advance(.seconds(5))
    XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.shelf.name, "placeholder")
    XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.node.state.row, 5)
    try run.save()
    XCTAssertEqual(storage.nodes, before)
    gate.open(.success(Shelf("late")))
    for _ in 0..<20 { await Task.yield() }
    XCTAssertEqual(try run.open(ListScreen.kind, id: "other", state: Row()).shelf.name, "late")
    XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.shelf.name, "late")
  }

  func testWhatIsOverdueIsAskedForAgainWithANewDeadline() async throws {
    try await leaveLists()
    let clock = Clock()
    var asked = 0
    let run = Restoration(storage: storage, sleep: { await clock.sleep($0) })
    try run.register(late: Keys.shelf, within: .seconds(5)) {
      asked += 1
      if asked == 1 { try await Task.sleep(for: .seconds(1_000)) }
      if asked == 2 { throw Closed() }
      return Shelf("third")
    }
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try run.definePlain()
    try await run.restore()
    await clock.advance(.seconds(5))
    XCTAssertEqual(run.lateObjects.map(\.stage), [.overdue])
    run.retry(Keys.shelf)
    XCTAssertEqual(run.lateObjects.map(\.stage), [.pending])
    try await run.waitUntilSettled()
    XCTAssertEqual(run.lateObjects.map(\.stage), [.failed(reason: "the closure that makes 'shelf' threw: Closed()")])
    run.retry(Keys.shelf)
    let report = try await run.waitUntilSettled()
    XCTAssertEqual(report.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(asked, 3)
  }

  func testWhatNeverComesIsToldAndItsStateKept() async throws {
    try await leaveLists()
    let before = storage.records
    let gate = Gate()
    let run = try await waitingRun(gate)
    gate.open(.failure(Closed()))
    let report = try await run.waitUntilSettled()
    XCTAssertEqual(report.outcome("list"), .failed(reason: "the closure that makes 'shelf' threw: Closed()"))
    XCTAssertEqual(report.outcome("plain"), .restored)
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testOpenWhenReadyWaitsForWhatIsLate() async throws {
    let gate = Gate()
    let run = try await waitingRun(gate)
    let opened = Task { try await run.openWhenReady(ListScreen.kind, id: "list", state: Row()).shelf.name }
    await Task.yield()
    gate.open(.success(Shelf("late")))
    let name = try await opened.value
    XCTAssertEqual(name, "late")
  }

  func testANodeThatTheUserOpensReplacesOneThatStillWaits() async throws {
    try await leaveLists()
    let gate = Gate()
    let run = try await waitingRun(gate)
    try run.openPlain("list", 70)
    gate.open(.success(Shelf("late")))
    try await run.waitUntilSettled()
    XCTAssertNil(try run.screen(ListScreen.kind, at: .of("list")))
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 70)
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("list/detail")))
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["list", "plain"])
  }

  func testWhatIsReadyBeforeRestoreIsNotWaitedFor() async throws {
    try await leaveLists()
    let run = restoration()
    try run.register(late: Keys.shelf) { Shelf("quick") }
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try run.definePlain()
    for _ in 0..<10 { await Task.yield() }
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("list"), .restored)
  }

  func testANodeThatNeedsTwoLateThingsWaitsForBoth() async throws {
    final class Both {}
    let kind = NodeKind<Row, Both>("both")
    let first = restoration()
    try first.register(Shelf(""), as: Keys.shelf)
    try first.register(Shelf(""), as: Keys.other)
    try first.define(kind, needs: .registered(Keys.shelf), .registered(Keys.other)) { _, _, _ in Both() }
    try await first.restore()
    _ = try first.open(kind, id: "a", state: Row())
    try first.save()

    let (one, two) = (Gate(), Gate())
    let run = restoration()
    try run.register(late: Keys.shelf) { try await one.value() }
    try run.register(late: Keys.other) { try await two.value() }
    var made: [String] = []
    try run.define(kind, needs: .registered(Keys.shelf), .registered(Keys.other)) { _, one, two in
      made += [one.name, two.name]
      return Both()
    }
    try await run.restore()
    one.open(.success(Shelf("one")))
    for _ in 0..<10 { await Task.yield() }
    XCTAssertEqual(run.report?.outcome("a"), .pending(key: "other"))
    two.open(.success(Shelf("two")))
    try await run.waitUntilSettled()
    XCTAssertEqual(made, ["one", "two"])
  }

  func testWhatWasUnregisteredMeanwhileIsNotDelivered() async throws {
    try await leaveLists()
    let gate = Gate()
    let run = try await waitingRun(gate)
    run.unregister(Keys.shelf)
    gate.open(.success(Shelf("late")))
    for _ in 0..<10 { await Task.yield() }
    XCTAssertNil(try run.screen(ListScreen.kind, at: .of("list")))
    try run.register(Shelf("other"), as: Keys.shelf)
    XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.shelf.name, "other")
  }

  func testWhatFailedIsMadeWhenTheSourceIsRegisteredAgain() async throws {
    try await leaveLists()
    let before = storage.records
    for again in ["register", "register after unregister", "register late"] {
      let gate = Gate()
      let run = try await waitingRun(gate)
      gate.open(.failure(Closed()))
      try await run.waitUntilSettled()
      switch again {
      case "register": try run.register(Shelf("online"), as: Keys.shelf)
      case "register late": try run.register(late: Keys.shelf) { Shelf("online") }
      default:
        run.unregister(Keys.shelf)
        try run.register(Shelf("online"), as: Keys.shelf)
      }
      let report = try await run.waitUntilSettled()
      XCTAssertEqual(report.entries.map(\.outcome), [.restored, .restored, .restored], again)
      XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.node.state.row, 5, again)
      try run.save()
      XCTAssertEqual(storage.records, before, again)
    }
  }

  func testAnObjectWhoseFactoryHadNothingIsAskedAgainAndDelivered() async throws {
    struct Offline: Error {}
    @MainActor final class Source { var shelf: Shelf? }
    try await leaveLists()
    for failure in [nil, Offline()] as [Offline?] {
      let source = Source()
      var asked = 0
      let run = restoration()
      try run.define(object: Keys.shelf, initial: 0) { _ in
        asked += 1
        if let failure, source.shelf == nil { throw failure }
        return source.shelf
      }
      try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
      try run.definePlain()
      try await run.restore()
      XCTAssertNotEqual(run.report?.outcome("list"), .restored)
      XCTAssertEqual(asked, 1)
      XCTAssertThrowsError(try run.open(ListScreen.kind, id: "other", state: Row()))
      source.shelf = Shelf("ready")
      XCTAssertEqual(try run.open(ListScreen.kind, id: "other", state: Row()).shelf.name, "ready")
      // What waited for it is made as well.
      XCTAssertEqual(run.report?.outcome("list"), .restored)
      XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.node.state.row, 5)
      XCTAssertEqual(asked, 3)
    }
  }
}
