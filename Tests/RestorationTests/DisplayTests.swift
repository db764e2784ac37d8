import RepriseRestoration
import XCTest

/// A launch that ends while its screens are displayed for the first time counts against those screens.
final class DisplayTests: RestorationTestCase {
  /// A launch that says which nodes it has displayed; it ends there, unless it says that all is.
  private func launch(displaying paths: [String] = [], all: Bool = false) async throws -> Restoration {
    let run = restoration()
    run.reportsDisplay = true
    try run.definePlain()
    try await run.restore()
    for path in paths { run.reportDisplayed(.of(path)) }
    if all { run.reportDisplayed() }
    return run
  }

  private func quarantined(_ run: Restoration) -> [String] {
    run.report?.entries.filter { if case .quarantined = $0.outcome { true } else { false } }.map(\.path.text) ?? []
  }

  func testWhatEndsTwoLaunchesByBeingDisplayedIsLeftOutAndTheRestIsThere() async throws {
    try await leave(["a", "b", "c", "c/d"])
    let before = storage.nodes
    _ = try await launch(displaying: ["a", "c/d"])
    let second = try await launch(displaying: ["a", "c/d"])
    XCTAssertEqual(quarantined(second), [], "one death is not enough")
    XCTAssertEqual(second.report?.lastExit, .crashedWhileRestoring)
    let third = try await launch(all: true)
    XCTAssertEqual(quarantined(third), ["b"], "'c' is displayed with what is below it")
    XCTAssertEqual(third.report?.outcome("c/d"), .restored)
    try third.save()
    XCTAssertEqual(storage.nodes, before, "its state is kept")
    let fourth = try await launch(all: true)
    XCTAssertEqual(fourth.report?.lastExit, .crashed)
    XCTAssertEqual(quarantined(fourth), ["b"])
    try fourth.retry(at: .of("b"))
    let fifth = try await launch(all: true)
    XCTAssertEqual(quarantined(fifth), [])
  }

  func testOfNodesAboveEachOtherTheLowestIsLeftOutFirst() async throws {
    try await leave(["a", "a/b", "a/b/c", "d"])
    for _ in 1...2 { _ = try await launch(displaying: ["d"]) }
    let third = try await launch(displaying: ["d"])
    XCTAssertEqual(quarantined(third), ["a/b/c"])
    let fourth = try await launch(displaying: ["d"])
    XCTAssertEqual(quarantined(fourth), ["a/b"])
    XCTAssertEqual(fourth.report?.outcome("a"), .restored)
  }

  func testALaunchThatDisplaysNothingComesUpPlainTheThirdTime() async throws {
    try await leave(["a", "b", "b/c"])
    for _ in 1...2 { _ = try await launch() }
    let third = try await launch(all: true)
    XCTAssertEqual(Set(quarantined(third)), ["a", "b/c"])
  }

  func testOfManyNodesThatAreDisplayedNotEachIsWrittenAtOnceAndTheLastIsTold() async throws {
    let paths = (0..<2_000).map { "list \($0 % 20)/row \($0)" }
    try await leave((0..<20).map { "list \($0)" } + paths)
    _ = try await launch()
    let shown = paths.filter { !$0.hasSuffix(" 777") }
    let second = try await launch()
    let note = try XCTUnwrap(storage.notes["main"])
    let before = note.writeCount
    for path in shown { second.reportDisplayed(.of(path)) }
    XCTAssertLessThan(note.writeCount - before, shown.count / 4)
    let third = try await launch(all: true)
    XCTAssertEqual(quarantined(third), [paths[777]])
  }

  func testNodesThatWereDisplayedInATurnThatCameThroughAreNotLeftOut() async throws {
    let paths = (0..<2_000).map { "row \($0)" }
    try await leave(paths)
    _ = try await launch()
    let second = try await launch(displaying: Array(paths.prefix(10)))
    for _ in 0..<20 { await Task.yield() }
    withExtendedLifetime(second) {}
    let third = try await launch(all: true)
    XCTAssertEqual(Set(quarantined(third)), Set(paths.dropFirst(10)))
  }

  func testOfMoreNodesThanANoteHoldsEachLaunchLeavesOutAsManyAsItDoes() async throws {
    let name = String(repeating: "n", count: 240)
    try await leave((0..<4_400).map { "\(name) \($0)" })
    for _ in 1...2 { _ = try await launch() }
    let third = try await launch()
    XCTAssertGreaterThan(quarantined(third).count, 4_000)
    XCTAssertEqual(third.report?.lastExit, .crashedWhileRestoring)
    let fourth = try await launch(all: true)
    XCTAssertEqual(quarantined(fourth).count, 4_400)
  }

  func testWhoSaysTooLateWhatIsDisplayedDoesNotWriteIntoTheNextLaunchsNote() async throws {
    try await leave(["a", "b"])
    _ = try await launch()
    let former = try await launch()
    former.end()
    let next = try await launch()
    let note = try XCTUnwrap(storage.notes["main"]?.read())
    former.reportDisplayed(.of("a"))
    XCTAssertEqual(storage.notes["main"]?.read(), note)
    withExtendedLifetime(next) {}
  }

  func testALaunchThatIsDisplayedHasComeThrough() async throws {
    try await leave(["a"])
    for _ in 1...4 {
      let run = try await launch(all: true)
      XCTAssertEqual(quarantined(run), [])
      XCTAssertNotEqual(run.report?.lastExit, .crashedWhileRestoring)
    }
  }

  func testALaunchThatIsFlushedOrEndedBeforeItIsDisplayedEndsCleanly() async throws {
    try await leave(["a"])
    for round in 1...4 {
      let run = try await launch()
      if round > 1 { XCTAssertEqual(run.report?.lastExit, .clean) }
      if round % 2 == 0 { try await run.flush() } else { run.end() }
    }
    let run = try await launch()
    try await run.flush()
    try run.screen(PlainScreen.kind, at: .of("a"))?.node.state.row = 9
    try run.save()
    let next = try await launch()
    XCTAssertEqual(next.report?.lastExit, .crashedWhileRestoring, "it was never displayed")
  }

  func testWhoSaysNothingOfDisplayIsAskedForNothing() async throws {
    try await leave(["a"])
    for _ in 1...4 {
      let run = restoration()
      try run.definePlain()
      try await run.restore()
      run.reportDisplayed(.of("a"))
      run.reportDisplayed()
      XCTAssertNotEqual(run.report?.lastExit, .crashedWhileRestoring)
    }
  }
}
