import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// What a policy makes of nodes that nothing visible needs, and that nobody asks for.
final class UnreadRetentionTests: RestorationTestCase {
  private static let day: Int64 = 86_400_000_000
  private var now: Int64 = 1_700_000_000_000_000

  private func launch(
    _ policy: DeferredNodeRetention, _ change: (Restoration) throws -> Void = { _ in }
  ) async throws -> Restoration {
    storage.readsInParts = true
    storage.readParts = []
    let run = Restoration(storage: storage, now: { [unowned self] in now })
    run.deferredNodeRetention = policy
    try run.register(MemoryContext(storage), as: Keys.root)
    try run.definePlain()
    try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
      EditorScreen($0, $1)
    }
    try await run.restore()
    try change(run)
    for _ in 0..<10 { await Task.yield() }
    await endOfTurn()
    return run
  }

  /// Tabs, the first of which is in front; each with a detail.
  private func leaveTabs(_ ids: [String]) async throws {
    try await leave(["tabs"] + ids.flatMap { ["tabs/\($0)", "tabs/\($0)/detail"] })
    _ = try await launch(DeferredNodeRetention()) { try $0.select(ids[0], at: .of("tabs")) }
  }

  private var tabs: [String] {
    let paths = storage.nodes.keys.map { NodePath.of($0) }
    return paths.filter { $0.parent == .of("tabs") }.map(\.id).sorted()
  }

  func testWithoutALimitNothingIsDroppedOrReadOrWritten() async throws {
    try await leaveTabs(["a", "b", "c"])
    let before = storage.records
    for _ in 0..<5 {
      now += 400 * Self.day
      _ = try await launch(DeferredNodeRetention())
      XCTAssertFalse(storage.readParts.contains("all"))
    }
    XCTAssertEqual(storage.records, before)
  }

  func testWhatWasNotUsedForTooLongIsDroppedWithAllBelowItAndTold() async throws {
    try await leaveTabs(["a", "b", "c"])
    let policy = DeferredNodeRetention(age: .seconds(30 * 86_400))
    for day in 0..<31 {
      let run = try await launch(policy) { run in
        // One of them is asked for every ten days.
        if day % 10 == 5 { _ = try run.screen(PlainScreen.kind, at: .of("tabs/b/detail")) }
      }
      XCTAssertEqual(run.report?.dropped, [], "day \(day)")
      XCTAssertEqual(tabs, ["a", "b", "c"], "day \(day)")
      now += Self.day
    }
    now += Self.day
    let run = try await launch(policy)
    XCTAssertEqual(Set(run.report?.dropped.map(\.text) ?? []), ["tabs/c", "tabs/c/detail"])
    XCTAssertEqual(run.report?.unread, 2)
    XCTAssertEqual(tabs, ["a", "b"])
    XCTAssertNil(storage.nodes["tabs/c/detail"])
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("tabs/c")))
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["a", "b"])
    // What it counts is right: a launch that reads everything finds as many.
    let next = try await launch(DeferredNodeRetention())
    XCTAssertEqual(next.report?.archive?.nodeCount, storage.nodes.count)
    XCTAssertEqual(try next.screen(PlainScreen.kind, at: .of("tabs/b/detail"))?.node.state.row, 4)
  }

  func testOfTooManyThoseThatWereNotUsedForLongestAreDroppedFirst() async throws {
    try await leaveTabs(["a", "b", "c", "d", "e"])
    let unlimited = DeferredNodeRetention(count: 100)
    for tab in ["b", "d"] {
      _ = try await launch(unlimited) { _ = try $0.screen(PlainScreen.kind, at: .of("tabs/\(tab)/detail")) }
      now += 2 * Self.day
    }
    // Unread are b to e, two nodes each.
    let run = try await launch(DeferredNodeRetention(count: 5))
    XCTAssertEqual(tabs, ["a", "b", "d"])
    XCTAssertEqual(run.report?.dropped.count, 4)
    // Once a day.
    _ = try await launch(DeferredNodeRetention(count: 2))
    XCTAssertEqual(tabs, ["a", "b", "d"])
    now += Self.day
    _ = try await launch(DeferredNodeRetention(count: 2))
    XCTAssertEqual(tabs, ["a", "d"])
    now += Self.day
    _ = try await launch(DeferredNodeRetention(byteCount: 1))
    XCTAssertEqual(tabs, ["a"])
    XCTAssertEqual(try run.children(of: nil).map(\.id), ["tabs"])
  }

  func testUseKeepsTheOrderOfSiblingsAndWritesANodeOnceADay() async throws {
    try await leaveTabs(["a", "b", "c", "d"])
    let policy = DeferredNodeRetention(count: 100)
    _ = try await launch(policy) { _ = try $0.screen(PlainScreen.kind, at: .of("tabs/c")) }
    now += Self.day
    let run = try await launch(policy) { _ = try $0.screen(PlainScreen.kind, at: .of("tabs/b")) }
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["a", "b", "c", "d"])
    try run.openPlain("tabs/e")
    try run.save()
    storage.writes = []
    let again = try await launch(policy) { _ = try $0.screen(PlainScreen.kind, at: .of("tabs/b")) }
    XCTAssertEqual(storage.writtenKeys, [])
    XCTAssertEqual(try again.children(of: .of("tabs")).map(\.id), ["a", "b", "c", "d", "e"])
    try again.move(at: .of("tabs/e"), to: 1)
    try again.save()
    let last = try await launch(DeferredNodeRetention())
    XCTAssertEqual(try last.children(of: .of("tabs")).map(\.id), ["a", "e", "b", "c", "d"])
  }

  func testWorkIsNeverDroppedNorWhatStandsAboveItOrCannotBeRead() async throws {
    try await leaveTabs(["a", "b", "c", "d"])
    _ = try await launch(DeferredNodeRetention()) { run in
      try run.open(EditorScreen.kind, id: "editor", under: .of("tabs/b/detail"), state: Row()).context.edit("work")
    }
    storage.records["tabs/c/detail"]?[9] ^= 1
    let policy = DeferredNodeRetention(age: .seconds(86_400), count: 0, byteCount: 0)
    for _ in 0..<5 {
      let run = try await launch(policy)
      XCTAssertEqual(tabs, ["a", "b", "c"])
      XCTAssertEqual(run.report?.orphanedDrafts, [])
      now += 2 * Self.day
    }
    XCTAssertEqual(storage.drafts["tabs/b/detail/editor"]?.edits, ["work"])
    // Without edits it is a node as others are.
    storage.drafts["tabs/b/detail/editor"]?.edits = []
    _ = try await launch(policy)
    XCTAssertEqual(tabs, ["a", "c"])
  }

  func testAClockThatGoesBackMakesNothingOld() async throws {
    try await leaveTabs(["a", "b"])
    let policy = DeferredNodeRetention(age: .seconds(10 * 86_400))
    _ = try await launch(policy)
    for days: Int64 in [-100, 5, 50] {
      now += days * Self.day
      _ = try await launch(policy)
      XCTAssertEqual(tabs, ["a", "b"])
    }
    now += 100 * Self.day
    _ = try await launch(policy)
    XCTAssertEqual(tabs, ["a"])
  }

  func testALaunchWithAWrongClockMakesNothingOld() async throws {
    try await leaveTabs(["a", "b", "c"])
    let policy = DeferredNodeRetention(age: .seconds(30 * 86_400))
    let in1970 = -now + 1
    for error in [0, 3_650 * Self.day, 0, 60 * Self.day, 0, 0, -60 * Self.day, 0, 0, in1970, 0, 0] {
      now += error
      let run = try await launch(policy)
      now += Self.day - error
      XCTAssertEqual(run.report?.dropped, [], "\(error)")
      XCTAssertEqual(tabs, ["a", "b", "c"], "\(error)")
    }
  }

  func testALaunchWithAFastClockDoesNotStopTheDropping() async throws {
    try await leaveTabs(["a", "b", "c"])
    let policy = DeferredNodeRetention(age: .seconds(30 * 86_400))
    for _ in 0..<5 {
      _ = try await launch(policy)
      now += Self.day
    }
    now += 3_650 * Self.day
    _ = try await launch(policy)
    XCTAssertEqual(tabs, ["a", "b", "c"])
    now -= 3_650 * Self.day
    // Unread are b and c, two nodes each.
    _ = try await launch(DeferredNodeRetention(age: policy.age, count: 3))
    XCTAssertEqual(tabs, ["a", "c"])
    for day in 6...30 {
      now += Self.day
      _ = try await launch(policy)
      XCTAssertEqual(tabs, ["a", "c"], "day \(day)")
    }
    now += Self.day
    _ = try await launch(policy)
    XCTAssertEqual(tabs, ["a"])
  }

  /// As a program would: from journals, and from tables.
  func testInAStoreWhatIsDroppedIsGoneFromItsTablesAndItsJournals() async throws {
    for isCheckpointed in [false, true] {
      let temporary = try await TemporaryStore(for: Item.self, Person.self)
      func launch(_ store: Store, _ policy: DeferredNodeRetention) async throws -> Restoration {
        let run = Restoration(store)
        run.deferredNodeRetention = policy
        try run.definePlain()
        try await run.restore()
        await Task { @MainActor in }.value
        try await run.flush()
        return run
      }
      do {
        let run = try await launch(temporary.store, DeferredNodeRetention())
        try run.openPlain("tabs").node.selection = "a"
        for id in ["a", "b", "c"] { try run.openPlain("tabs/\(id)", 1) }
        try await run.flush()
        if isCheckpointed { try await temporary.store.journals.checkpoint() }
      }
      var store = try await temporary.relaunch()
      if !isCheckpointed {
        // What the journal of a dead process has is read whole: nothing is unread.
        _ = try await launch(store, DeferredNodeRetention(count: 0))
        XCTAssertEqual(try Restoration.archive(of: "main", in: store)?.nodes.count, 4)
        try await store.journals.checkpoint()
        store = try await temporary.relaunch()
      }
      let run = try await launch(store, DeferredNodeRetention(count: 0))
      XCTAssertEqual(Set(run.report?.dropped.map(\.text) ?? []), ["tabs/b", "tabs/c"])
      XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["a"])
      try await store.journals.checkpoint()
      let next = try await temporary.relaunch()
      XCTAssertEqual(
        try Restoration.archive(of: "main", in: next)?.nodes.map(\.path.text), ["tabs", "tabs/a"])
      let last = try await launch(next, DeferredNodeRetention())
      XCTAssertEqual(try last.children(of: .of("tabs")).map(\.id), ["a"])
      try last.openPlain("tabs/b", 7)
      XCTAssertEqual(try last.screen(PlainScreen.kind, at: .of("tabs/b"))?.node.state.row, 7)
    }
  }
}
