import RepriseRestoration
import XCTest

/// Factories that open the nodes below their own, in the normal run and in restore.
final class ContainerTests: RestorationTestCase {
  private struct Broken: Error {}

  /// Containers open "home" and "search" below them; what `change` says besides.
  private func run(
    tabs: [String] = ["home", "search"],
    _ change: @escaping @MainActor (RestorationNode<Row>) throws -> Bool = { _ in true }
  ) async throws -> Restoration {
    let run = restoration()
    try run.define(Self.tab) { try change($0) ? PlainScreen($0) : nil }
    try run.definePlain { [unowned run] node in
      guard node.path.id == "tabs" else { return true }
      for id in tabs { try run.open(Self.tab, id: id, under: node.path, state: Row(row: 100)) }
      return try change(node)
    }
    try await run.restore()
    return run
  }

  private static let tab = NodeKind<Row, PlainScreen>("tab")

  private func row(_ run: Restoration, _ path: String) throws -> Int? {
    try run.screen(Self.tab, at: .of(path))?.node.state.row
  }

  private func leaveTabs() async throws {
    let run = try await run()
    try run.openPlain("tabs", 1)
    try run.screen(Self.tab, at: .of("tabs/home"))?.node.state.row = 7
    try run.openPlain("tabs/home/detail", 8)
    try run.save()
    storage.writes = []
  }

  func testAFactoryThatOpensNodesBelowItsOwnGetsThoseOfTheArchive() async throws {
    try await leaveTabs()
    let before = storage.records
    let again = try await run()
    XCTAssertEqual(again.report?.entries.map(\.outcome), Array(repeating: .restored, count: 4))
    XCTAssertEqual(try row(again, "tabs/home"), 7)
    XCTAssertEqual(try row(again, "tabs/search"), 100)
    XCTAssertEqual(try again.screen(PlainScreen.kind, at: .of("tabs/home/detail"))?.node.state.row, 8)
    XCTAssertEqual(try again.children(of: .of("tabs")).map(\.id), ["home", "search"])
    try again.save()
    XCTAssertEqual(storage.records, before)
  }

  func testAFactoryOpensInRestoreWhatTheArchiveDoesNotHave() async throws {
    try await leaveTabs()
    let again = try await run(tabs: ["home", "profile", "search"])
    XCTAssertEqual(storage.writes, [])
    XCTAssertEqual(try again.children(of: .of("tabs")).map(\.id), ["home", "search", "profile"])
    XCTAssertEqual(try row(again, "tabs/home"), 7)
    try again.save()
    XCTAssertEqual(storage.writtenKeys, ["tabs/profile"])
  }

  func testANodeOfAnotherKindIsReplacedOnlyIfTheContainerIsMade() async throws {
    try await leave(["tabs", "tabs/home", "tabs/home/x"])
    let before = storage.records
    let failed = try await run { node in
      if node.path.id == "tabs" { throw Broken() }
      return true
    }
    XCTAssertEqual(failed.report?.outcome("tabs"), .failed(reason: "its factory threw: Broken()"))
    try failed.save()
    XCTAssertEqual(storage.records, before)
    let again = try await run()
    XCTAssertEqual(try row(again, "tabs/home"), 100)
    XCTAssertEqual(
      again.report?.outcome("tabs/home"),
      .skipped(reason: "another screen was opened at the path 'tabs/home'"))
    try again.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["tabs", "tabs/home", "tabs/search"])
  }

  func testAContainerThatFailsAfterItOpenedNodesLeavesTheArchiveAsItWas() async throws {
    try await leaveTabs()
    let before = storage.records
    let failed = try await run(tabs: ["home", "profile"]) { node in
      if node.path.id == "tabs" { throw Broken() }
      return true
    }
    XCTAssertEqual(failed.report?.outcome("tabs"), .failed(reason: "its factory threw: Broken()"))
    XCTAssertEqual(failed.report?.outcome("tabs/home"), .skipped(reason: "the screen 'tabs' above it was not restored"))
    XCTAssertNil(try failed.screen(Self.tab, at: .of("tabs/profile")))
    try failed.save()
    XCTAssertEqual(storage.records, before)
    let again = try await self.run()
    XCTAssertEqual(try row(again, "tabs/home"), 7)
  }

  func testInRestoreAFactoryOpensNodesBelowItsOwnOnly() async throws {
    try await leave(["a", "b"])
    var errors = 0
    let run = restoration()
    try run.definePlain { [unowned run] node in
      for path in ["new", "b/new"] where node.path.id == "a" {
        XCTAssertThrowsError(try run.openPlain(path)) { error in
          guard case .notRestored? = error as? RestorationError else { return XCTFail("\(error)") }
          errors += 1
        }
      }
      return true
    }
    try await run.restore()
    XCTAssertEqual(errors, 2)
  }

  func testAContainerWhoseChildWaitsForWhatIsLateWaitsToo() async throws {
    final class Feed {}
    let feed = RestorationKey<Feed>("feed")
    let list = NodeKind<Row, PlainScreen>("list")
    func launch(_ register: (Restoration) throws -> Void) async throws -> Restoration {
      let run = restoration()
      try run.define(list, needs: .registered(feed)) { node, _ in PlainScreen(node) }
      try run.definePlain { [unowned run] node in
        if node.path.id == "tabs" { try run.open(list, id: "list", under: node.path, state: Row()) }
        return true
      }
      try register(run)
      try await run.restore()
      return run
    }
    let first = try await launch { try $0.register(Feed(), as: feed) }
    try first.openPlain("tabs", 1)
    try first.screen(list, at: .of("tabs/list"))?.node.state.row = 5
    try first.save()
    let before = storage.records

    let again = try await launch {
      try $0.register(late: feed) {
        for _ in 0..<5 { await Task.yield() }
        return Feed()
      }
    }
    XCTAssertEqual(again.report?.outcome("tabs"), .pending(key: "feed"))
    try again.save()
    XCTAssertEqual(storage.records, before)
    let settled = try await again.waitUntilSettled()
    XCTAssertEqual(settled.entries.map(\.outcome), [.restored, .restored])
    XCTAssertEqual(try again.screen(list, at: .of("tabs/list"))?.node.state.row, 5)
    try again.save()
    XCTAssertEqual(storage.records, before)
  }

  func testATwoPhaseContainerAdoptsTheScreensThatTheArchiveHas() async throws {
    func launch() async throws -> Restoration {
      let run = restoration()
      try run.define(twoPhase: "page") { _, _ in Note("") }
      try run.define(twoPhase: "pages") { [unowned run] path, _ in
        try run.adopt(Note("fresh"), kind: "page", id: "first", under: path)
        return Note("")
      }
      try await run.restore()
      return run
    }
    let first = try await launch()
    try first.adopt(Note("container"), kind: "pages", id: "pages")
    try first.adopt(Note("typed"), kind: "page", id: "first", under: .of("pages"))
    try first.save()
    let again = try await launch()
    let page: Note = try XCTUnwrap(try again.screen(at: .of("pages/first")))
    XCTAssertEqual(page.text, "typed")
    XCTAssertEqual(page.decoded, 1)
    XCTAssertEqual(page.finished, 1)
    XCTAssertEqual(again.report?.entries.map(\.outcome), [.restored, .reused])
  }

  /// In the normal run: the container is opened, and what stood below its path is replaced only if it is made.
  func testWhatAnOpenedContainerReplacesStaysIfTheContainerIsNotMade() async throws {
    try await leaveTabs()
    let before = storage.records
    let run = try await run { $0.state.row != 1 && $0.state.row != 2 }
    XCTAssertThrowsError(try run.openPlain("tabs", 2))
    try run.save()
    XCTAssertEqual(storage.records, before)
  }
}
