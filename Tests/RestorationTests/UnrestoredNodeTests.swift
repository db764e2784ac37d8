import RepriseRestoration
import XCTest

/// Nodes that are not restored: kept, dropped by the program, or by a policy.
final class UnrestoredNodeTests: RestorationTestCase {
  /// A launch in which `isThere` says which plain nodes can be made.
  private func launch(
    _ policy: UnrestoredNodeRetention = UnrestoredNodeRetention(), _ isThere: @escaping @MainActor (String) -> Bool
  ) async throws -> Restoration {
    let run = restoration()
    run.unrestoredNodeRetention = policy
    try run.definePlain { isThere($0.path.id) }
    try await run.restore()
    return run
  }

  func testNodesThatAreNotRestoredDoNotPileUp() async throws {
    var kept: [Int] = []
    for launch in 1...12 {
      let run = try await self.launch(UnrestoredNodeRetention(launches: 3)) { $0.hasPrefix("new \(launch)") }
      kept.append(try XCTUnwrap(run.report).entries.count - (run.report?.dropped.count ?? 0))
      for number in 0..<10 { try run.openPlain("new \(launch) \(number)") }
      try run.save()
    }
    XCTAssertEqual(kept, [0, 10, 20, 30] + Array(repeating: 30, count: 8))
  }

  func testNodesThatCanBeRecoveredHaveATitleADateASizeAndTheirState() async throws {
    let kind = NodeKind<Row, PlainScreen>("row", title: { $0.row > 0 ? "Row \($0.row)" : nil })
    var time: Int64 = 1_000_000_000_000_000
    func launch(_ isThere: Bool) async throws -> Restoration {
      let run = Restoration(storage: storage, now: { time })
      try run.definePlain { $0.path.id == "counter" || isThere }
      try run.define(kind) { isThere ? PlainScreen($0) : nil }
      try run.define(twoPhase: "note", title: { $0["text"]?.text }) { _, _ in isThere ? Note("") : nil }
      try await run.restore()
      return run
    }
    let first = try await launch(true)
    try first.openPlain("counter")
    try first.openPlain("list")
    try first.open(kind, id: "row", under: .of("list"), state: Row(row: 7))
    try first.open(kind, id: "untitled", state: Row())
    let note: Note = try first.open("note", id: "note")
    note.text = "Dear Ada"
    XCTAssertEqual(try first.recoverableNodes(), [])
    try first.save()
    await endOfTurn()
    storage.records["untitled"]?[9] ^= 1
    for launchNumber in 1...3 {
      time += 60_000_000
      let run = try await launch(false)
      let found = try run.recoverableNodes()
      XCTAssertEqual(Set(found.map(\.path.text)), ["list", "note", "untitled"])
      let list = try XCTUnwrap(found.first { $0.path.text == "list" })
      XCTAssertNil(list.title)
      XCTAssertEqual(list.nodesBelow, 1)
      XCTAssertEqual(list.byteCount, 22, "its own and that of the node below")
      XCTAssertEqual(list.outcome, .skipped(reason: "its factory found nothing to restore"))
      XCTAssertEqual(list.missedLaunches, launchNumber)
      XCTAssertEqual(list.missedSince, 1_000_000_060_000_000)
      let note = try XCTUnwrap(found.first { $0.path.text == "note" })
      XCTAssertEqual(note.title, "Dear Ada")
      XCTAssertEqual(note.kind, "note")
      XCTAssertEqual(note.state, ["text": "Dear Ada"])
      let damaged = try XCTUnwrap(found.first { $0.path.text == "untitled" })
      XCTAssertNil(damaged.title)
      XCTAssertNil(damaged.state)
      XCTAssertEqual(damaged.missedLaunches, 1, "what is damaged is kept whatever the policy, and not counted")
      guard case .corrupt = damaged.outcome else { return XCTFail("\(damaged.outcome)") }
      // Only launches that write something count.
      try run.screen(PlainScreen.kind, at: .of("counter"))?.node.state.row = launchNumber
      try run.save()
      await endOfTurn()
    }
  }

  func testWhatIsDroppedIsToldAndGoesWithAllBelowIt() async throws {
    try await leave(["list", "list/gone", "list/gone/below", "list/there"])
    for missed in 1...4 {
      let run = try await launch(UnrestoredNodeRetention(launches: 3)) { $0 != "gone" }
      let report = try XCTUnwrap(run.report)
      XCTAssertEqual(report.dropped.map(\.text), missed < 4 ? [] : ["list/gone", "list/gone/below"])
      XCTAssertEqual(report.outcome("list/gone"), .skipped(reason: "its factory found nothing to restore"))
      // Each launch writes something.
      try run.screen(PlainScreen.kind, at: .of("list"))?.node.state.row = 100 + missed
      try run.save()
    }
    XCTAssertEqual(Set(storage.nodes.keys), ["list", "list/there"])
  }

  func testANodeThatComesBackInBetweenIsCountedAnew() async throws {
    try await leave(["a", "b"])
    for launch in 1...8 {
      let run = try await self.launch(UnrestoredNodeRetention(launches: 3)) { $0 != "a" || launch % 3 == 0 }
      XCTAssertEqual(run.report?.dropped, [])
      try run.screen(PlainScreen.kind, at: .of("b"))?.node.state.row = 100 + launch
      try run.save()
    }
    XCTAssertNotNil(storage.nodes["a"])
  }

  func testALaunchThatWritesNothingCountsNothingAndNilKeepsForEver() async throws {
    try await leave(["a", "b"])
    let before = storage.records
    for _ in 0..<8 { try await launch(UnrestoredNodeRetention(launches: 1)) { $0 != "a" }.save() }
    XCTAssertEqual(storage.records, before)
    for launch in 1...8 {
      let run = try await self.launch(UnrestoredNodeRetention(launches: nil)) { $0 != "a" }
      try run.screen(PlainScreen.kind, at: .of("b"))?.node.state.row = 100 + launch
      try run.save()
    }
    XCTAssertEqual(storage.records["a"], before["a"])
  }

  func testWhatWaitsForAKindOrAKeyIsKeptWhateverThePolicy() async throws {
    let kind = NodeKind<Row, PlainScreen>("plug-in")
    func launch(_ isComplete: Bool, _ row: Int) async throws -> Restoration {
      let run = restoration()
      run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: 1)
      try run.definePlain()
      try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
      if isComplete {
        try run.define(kind) { PlainScreen($0) }
        try run.register(Shelf(""), as: Keys.shelf)
      }
      try await run.restore()
      if row == 0 {
        try run.openPlain("plain")
        _ = try run.open(kind, id: "plug-in", state: Row())
        _ = try run.open(ListScreen.kind, id: "list", state: Row())
      }
      try run.screen(PlainScreen.kind, at: .of("plain"))?.node.state.row = row
      try run.save()
      return run
    }
    _ = try await launch(true, 0)
    for row in 1...4 {
      let run = try await launch(false, row)
      XCTAssertEqual(run.report?.dropped, [])
    }
    let run = try await launch(true, 5)
    XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored, .restored])
  }

  func testWorkIsNeverDroppedWithItsNode() async throws {
    func launch(_ isThere: Bool, _ row: Int) async throws -> Restoration {
      let run = restoration()
      run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: 1)
      try run.register(MemoryContext(storage), as: Keys.root)
      try run.definePlain { isThere || $0.path.id != "shell" }
      try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
        EditorScreen($0, $1)
      }
      try await run.restore()
      if row == 0 {
        try run.openPlain("other")
        try run.openPlain("shell")
        try run.open(EditorScreen.kind, id: "editor", under: .of("shell"), state: Row()).context.edit("work")
      }
      try run.screen(PlainScreen.kind, at: .of("other"))?.node.state.row = row
      try run.save()
      return run
    }
    _ = try await launch(true, 0)
    for row in 1...4 {
      let run = try await launch(false, row)
      XCTAssertEqual(run.report?.dropped, [])
      XCTAssertEqual(run.report?.orphanedDrafts, ["shell/editor"])
    }
    // Without it, they are nodes as others are.
    storage.drafts["shell/editor"]?.edits = []
    let run = try await launch(false, 5)
    XCTAssertEqual(run.report?.dropped.map(\.text), ["shell", "shell/editor"])
  }

  func testOfTooManyKeptNodesThoseThatFailedLongestAreDroppedFirst() async throws {
    try await leave(["old", "old/below", "live"])
    _ = try await self.launch { $0 != "old" }.save()
    func launch(_ number: Int, _ policy: UnrestoredNodeRetention) async throws -> Restoration {
      let run = try await self.launch(policy) { $0 == "live" || $0 == "new \(number)" }
      try run.openPlain("new \(number)", number)
      try run.screen(PlainScreen.kind, at: .of("live"))?.node.state.row = 100 + number
      try run.save()
      return run
    }
    for number in 1...3 {
      let run = try await launch(number, UnrestoredNodeRetention(launches: nil, count: 4))
      XCTAssertEqual(run.report?.dropped, [])
    }
    // Now there are old, below, and the new ones 1 to 3, one too many.
    let run = try await launch(4, UnrestoredNodeRetention(launches: nil, count: 4))
    XCTAssertEqual(run.report?.dropped.map(\.text), ["old", "old/below"])
    XCTAssertEqual(Set(storage.nodes.keys), ["live", "new 1", "new 2", "new 3", "new 4"])
    let next = try await launch(5, UnrestoredNodeRetention(launches: nil, byteCount: 1))
    XCTAssertEqual(next.report?.dropped.map(\.text), ["new 1", "new 2", "new 3"], "4 failed for the first time")
  }

  func testAKeptNodeIsDroppedWhenItIsTooOldByTheWallClock() async throws {
    try await leave(["gone", "live"])
    var now: Int64 = 1_700_000_000_000_000
    func launch(_ row: Int) async throws -> RestorationReport {
      let run = Restoration(storage: storage, now: { now })
      run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: nil, age: .seconds(7 * 86_400))
      try run.definePlain { $0.path.text != "gone" }
      try await run.restore()
      try run.screen(PlainScreen.kind, at: .of("live"))?.node.state.row = row
      try run.save()
      return try XCTUnwrap(run.report)
    }
    for day in 0...7 {
      let report = try await launch(100 + day)
      XCTAssertEqual(report.dropped, [], "day \(day)")
      now += 86_400_000_000
    }
    for days: Int64 in [400, -30] {
      now += days * 86_400_000_000
      let report = try await launch(200 + Int(days))
      XCTAssertEqual(report.dropped, [], "a clock that is wrong by \(days) days makes nothing old")
      now -= days * 86_400_000_000
    }
    for day in 8...15 {
      let report = try await launch(100 + day)
      XCTAssertEqual(report.dropped, [], "day \(day)")
      now += 86_400_000_000
    }
    let report = try await launch(100)
    XCTAssertEqual(report.dropped.map(\.text), ["gone"])
  }

  func testANodeThatWasNotRestoredIsClosedByItsPath() async throws {
    try await leave(["a", "a/b", "c", "d"])
    storage.records["d"]?[8] ^= 1
    let run = try await launch { $0 != "a" }
    XCTAssertThrowsError(try run.close(at: .of("nowhere")))
    try run.close(at: .of("a"))
    try run.close(at: .of("c"))
    try run.close(at: .of("d"))
    XCTAssertThrowsError(try run.close(at: .of("a/b")))
    try run.save()
    XCTAssertEqual(storage.nodes, [:])
  }
}
