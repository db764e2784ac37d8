import RepriseEventStore
import RepriseRestoration
import XCTest

/// A process that dies while it restores is played by what it noted until then: the next launch finds that, and the
/// archive as it was.
final class CrashBreakerTests: RestorationTestCase {
  private enum Death: Error { case died }

  /// A launch of plain nodes. It dies at `deadly`, if it gets there: what it notes from then on is never written.
  private func launch(
    dyingAt deadly: String? = nil, appVersion: String = "1.0", made: @escaping @MainActor (String) -> Void = { _ in }
  ) async throws -> Restoration {
    let before = storage.scenes
    var note: [UInt8]?
    let run = Restoration(storage: storage, appVersion: appVersion)
    try run.definePlain { [storage] node in
      made(node.path.text)
      if node.path.text == deadly, note == nil { note = storage.notes["main"]?.read() }
      return true
    }
    try await run.restore()
    if let note {
      storage.notes["main"]?.write(note)
      storage.scenes = before
      throw Death.died
    }
    return run
  }

  private func die(at deadly: String, appVersion: String = "1.0") async {
    do {
      _ = try await launch(dyingAt: deadly, appVersion: appVersion)
      XCTFail("it came past '\(deadly)'")
    } catch Death.died {} catch {
      XCTFail("\(error)")
    }
  }

  private let quarantined = RestorationReport.Outcome.quarantined(
    reason: "the last two launches ended while making it")

  func testANodeWhoseMakingEndsTwoLaunchesIsLeftOutOfTheThirdAndTold() async throws {
    try await leave(["a", "bad", "bad/below", "c"])
    let before = storage.records
    await die(at: "bad")
    await die(at: "bad")
    var made: [String] = []
    let run = try await launch { made.append($0) }
    let report = try XCTUnwrap(run.report)
    XCTAssertEqual(made, ["a", "c"])
    XCTAssertEqual(report.outcome("bad"), quarantined)
    XCTAssertEqual(report.outcome("bad/below"), .skipped(reason: "the screen 'bad' above it was not restored"))
    XCTAssertEqual(report.lastExit, .crashedWhileRestoring)
    try run.save()
    XCTAssertEqual(storage.records, before, "its state is kept")
  }

  func testAWatchedLaunchWritesItsNoteOnceForEachNode() async throws {
    let paths = (0..<40).map { "n\($0)" }
    try await leave(paths)
    await die(at: "n39")
    let before = storage.notes["main"]?.writeCount ?? 0
    _ = try await launch()
    // Its beginning and its end.
    XCTAssertEqual((storage.notes["main"]?.writeCount ?? 0) - before, paths.count + 2)
  }

  func testWhatIsInQuarantineIsNotMadeWhenItIsDeferredAndAskedFor() async throws {
    try await leave(["tabs", "tabs/bad", "tabs/good"])
    for _ in 1...2 { await die(at: "tabs/bad") }
    let third = try await launch()
    try third.select("good", at: .of("tabs"))
    try third.save()
    let run = try await launch()
    XCTAssertEqual(run.report?.outcome("tabs/bad"), .deferred)
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("tabs/bad")))
    XCTAssertEqual(run.report?.outcome("tabs/bad"), quarantined)
    try run.retry(at: .of("tabs/bad"))
    XCTAssertNotNil(try run.screen(PlainScreen.kind, at: .of("tabs/bad")))
  }

  func testWhatIsInQuarantineStaysThereUntilItIsTriedAgain() async throws {
    try await leave(["bad", "bad/below", "c"])
    for _ in 1...2 { await die(at: "bad") }
    for launch in 1...8 {
      let run = try await self.launch()
      XCTAssertEqual(run.report?.outcome("bad"), quarantined)
      XCTAssertEqual(run.report?.dropped, [], "the policy for kept nodes is not for it")
      try run.screen(PlainScreen.kind, at: .of("c"))?.node.state.row = 100 + launch
      try run.save()
    }
    let run = try await launch()
    try run.retry(at: .of("bad"))
    XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(try run.screen(PlainScreen.kind, at: .of("bad/below"))?.node.state.row, 1)
    let next = try await launch()
    XCTAssertEqual(next.report?.outcome("bad"), .restored)
  }

  func testANodeThatEndsTheLaunchWhenItIsTriedAgainIsLeftOutOfTheNext() async throws {
    try await leave(["a", "bad"])
    for _ in 1...2 { await die(at: "bad") }
    var note: [UInt8]?
    let run = try await launch { [storage] path in if path == "bad" { note = storage.notes["main"]?.read() } }
    try run.retry(at: .of("bad"))
    storage.notes["main"]?.write(try XCTUnwrap(note))
    let next = try await launch()
    XCTAssertEqual(next.report?.outcome("bad"), quarantined)
    XCTAssertEqual(next.report?.outcome("a"), .restored)
  }

  func testANewVersionOfTheProgramTriesAgain() async throws {
    try await leave(["a", "bad"])
    for _ in 1...2 { await die(at: "bad") }
    let run = try await launch(appVersion: "1.1")
    XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored])
  }

  func testOneDeathOrTwoInDifferentPlacesLeaveNothingOut() async throws {
    try await leave(["a", "b"])
    await die(at: "a")
    let second = try await launch()
    XCTAssertEqual(second.report?.entries.map(\.outcome), [.restored, .restored])
    XCTAssertEqual(second.report?.lastExit, .crashedWhileRestoring)
    let third = try await launch()
    XCTAssertEqual(third.report?.lastExit, .crashed)
    await die(at: "b")
    let fourth = try await launch()
    XCTAssertEqual(fourth.report?.entries.map(\.outcome), [.restored, .restored])
  }

  func testTwoNodesThatEndLaunchesAreLeftOutOneAfterTheOther() async throws {
    try await leave(["one", "two", "c"])
    for _ in 1...2 { await die(at: "one") }
    await die(at: "two")
    let run = try await launch()
    XCTAssertEqual(run.report?.outcome("one"), quarantined)
    XCTAssertEqual(run.report?.outcome("two"), quarantined)
    XCTAssertEqual(run.report?.outcome("c"), .restored)
  }

  func testOfNodesThatFactoriesOpenTheInnermostIsLeftOut() async throws {
    let container = NodeKind<Row, PlainScreen>("container")
    func launch(dies: Bool) async throws -> Restoration {
      let before = storage.scenes
      var note: [UInt8]?
      let run = restoration()
      try run.definePlain { [storage] node in
        if dies, node.path.id == "bad" { note = storage.notes["main"]?.read() }
        return true
      }
      try run.define(container) { [unowned run] node in
        for id in ["good", "bad"] {
          _ = try? run.open(PlainScreen.kind, id: id, under: node.path, state: Row())
        }
        return PlainScreen(node)
      }
      try await run.restore()
      if let note {
        storage.notes["main"]?.write(note)
        storage.scenes = before
      }
      return run
    }
    let first = try await launch(dies: false)
    try first.open(container, id: "top", state: Row())
    try first.save()
    for _ in 1...2 { _ = try await launch(dies: true) }
    let run = try await launch(dies: true)
    XCTAssertEqual(run.report?.outcome("top"), .restored)
    XCTAssertEqual(run.report?.outcome("top/good"), .restored)
    XCTAssertEqual(run.report?.outcome("top/bad"), quarantined)
  }

  func testAnObjectWhoseFactoryEndsLaunchesCostsWhatNeedsItOnly() async throws {
    func launch(dies: Bool) async throws -> Restoration {
      var note: [UInt8]?
      let run = restoration()
      try run.definePlain()
      try run.define(object: Keys.shelf, initial: 0) { [storage] _ in
        if dies { note = storage.notes["main"]?.read() }
        return Shelf("made")
      }
      try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
      try await run.restore()
      if let note { storage.notes["main"]?.write(note) }
      return run
    }
    let first = try await launch(dies: false)
    for id in ["one", "two"] { _ = try first.open(ListScreen.kind, id: id, state: Row()) }
    try first.openPlain("plain")
    try first.save()
    for _ in 1...2 { _ = try await launch(dies: true) }
    let run = try await launch(dies: false)
    let reason = "the last two launches ended while making 'shelf'"
    XCTAssertEqual(run.report?.outcome("one"), .quarantined(reason: reason))
    XCTAssertEqual(run.report?.outcome("two"), .quarantined(reason: reason))
    XCTAssertEqual(run.report?.outcome("plain"), .restored)
    run.retry(Keys.shelf)
    XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored, .restored])
  }

  func testWhatCloseAndMoveDoToANodeInQuarantine() async throws {
    try await leave(["list", "list/bad"])
    for _ in 1...2 { await die(at: "list/bad") }
    let run = try await launch()
    try run.screen(PlainScreen.kind, at: .of("list"))?.node.move(id: "shelf", under: nil)
    try run.save()
    let moved = try await launch()
    XCTAssertEqual(moved.report?.outcome("shelf/bad"), quarantined)
    try moved.close(at: .of("shelf/bad"))
    try moved.openPlain("shelf/bad")
    try moved.save()
    let opened = try await launch()
    XCTAssertEqual(opened.report?.outcome("shelf/bad"), .restored, "another node at its path")
  }

  func testEditsOfANodeInQuarantineAreListedAndNeverDeleted() async throws {
    func launch(dies: Bool) async throws -> Restoration {
      var note: [UInt8]?
      let before = storage.scenes
      let run = restoration()
      run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: 1)
      try run.register(MemoryContext(storage), as: Keys.root)
      try run.definePlain()
      try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
        [storage] node, context in
        if dies { note = storage.notes["main"]?.read() }
        return EditorScreen(node, context)
      }
      try await run.restore()
      if let note {
        storage.notes["main"]?.write(note)
        storage.scenes = before
      }
      return run
    }
    let first = try await launch(dies: false)
    try first.openPlain("other")
    try first.open(EditorScreen.kind, id: "editor", state: Row()).context.edit("work")
    try first.save()
    let drafts = storage.drafts
    for _ in 1...2 { _ = try await launch(dies: true) }
    for row in 1...6 {
      let run = try await launch(dies: true)
      XCTAssertEqual(run.report?.outcome("editor"), quarantined)
      XCTAssertEqual(run.report?.orphanedDrafts, ["editor"])
      try run.screen(PlainScreen.kind, at: .of("other"))?.node.state.row = row
      try run.save()
      XCTAssertEqual(storage.drafts, drafts)
    }
    let run = try await launch(dies: false)
    try run.retry(at: .of("editor"))
    XCTAssertEqual(try run.screen(EditorScreen.kind, at: .of("editor"))?.context.edits, ["work"])
    XCTAssertEqual(run.report?.orphanedDrafts, [])
  }

  // MARK: A clean exit

  /// How the last launch ended, as the program learns before any factory runs.
  private func lastExit() async throws -> ExitReason {
    let run = restoration()
    var isMade = false
    var exit: ExitReason?
    try run.definePlain { _ in
      isMade = true
      return true
    }
    try await run.restore { info in
      XCTAssertFalse(isMade)
      exit = info.lastExit
      return true
    }
    XCTAssertEqual(run.report?.lastExit, exit)
    return try XCTUnwrap(exit)
  }

  func testACleanExitIsKnownBeforeAnyFactoryRunsAndNothingElseIsOne() async throws {
    try await leave(["a"])
    let running = try await lastExit()
    XCTAssertEqual(running, .crashed)
    for end in ["flush", "flush(durable:)", "end", "close"] {
      let run = try await launch()
      switch end {
      case "flush": try await run.flush()
      case "flush(durable:)": try await run.flush(durable: true)
      case "end": run.end()
      default: run.storeWasClosed()
      }
      let ended = try await lastExit()
      XCTAssertEqual(ended, .clean, end)
      let again = try await lastExit()
      XCTAssertEqual(again, .crashed, "after \(end)")
    }
  }

  func testWhatIsChangedAfterAFlushIsNoCleanExit() async throws {
    try await leave(["a"])
    let run = try await launch()
    try await run.flush()
    try run.screen(PlainScreen.kind, at: .of("a"))?.node.state.row = 7
    await endOfTurn()
    let crashed = try await lastExit()
    XCTAssertEqual(crashed, .crashed)
    let next = try await launch()
    for row in 8...10 {
      try next.screen(PlainScreen.kind, at: .of("a"))?.node.state.row = row
      try await next.flush()
    }
    let clean = try await lastExit()
    XCTAssertEqual(clean, .clean)
  }

  func testAFlushThatFailsIsNoCleanExit() async throws {
    try await leave(["a"])
    let run = try await launch()
    storage.failure = .closed(path: "")
    do {
      try await run.flush()
      XCTFail("nothing could be written")
    } catch {
    }
    storage.failure = nil
    let exit = try await lastExit()
    XCTAssertEqual(exit, .crashed)
  }

  func testANoteThatIsNoneTellsNothing() async throws {
    try await leave(["a"])
    for note in [[], [0], [9, 1, 0, 0, 0], [1, 7, 0, 0, 0], [1, 1, 0, 0, 200, 1]] as [[UInt8]] {
      storage.notes["main"]?.write(note)
      let exit = try await lastExit()
      XCTAssertEqual(exit, .unknown, "\(note)")
    }
  }
}
