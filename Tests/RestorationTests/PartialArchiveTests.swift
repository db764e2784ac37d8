import RepriseEventStore
import RepriseRestoration
import XCTest

/// The promises of deferred nodes hold as well where their records are read when somebody asks.
final class DeferredUnreadNodeTests: DeferredNodeTests {
  override func setUp() async throws { storage.readsInParts = true }

  func testOfWhatIsNotVisibleNoRecordIsRead() async throws {
    try await leaveTabs()
    storage.readParts = []
    let run = try await launch()
    XCTAssertEqual(storage.readParts, ["/", "", "tabs/b", "tabs/b/", "tabs/b/detail/", "other/"])
    let report = try XCTUnwrap(run.report)
    XCTAssertEqual(report.entries.map(\.path.text), ["tabs", "other", "tabs/b", "tabs/b/detail"])
    XCTAssertEqual(report.unread, 4)
    XCTAssertEqual(report.archive?.nodeCount, 8)
    XCTAssertTrue(report.description.contains("4 screens that no visible screen needs are deferred"), "\(report)")
    storage.readParts = []
    XCTAssertEqual(try run.children(of: .of("tabs")).count, 3)
    XCTAssertEqual(try run.children(of: .of("tabs")).count, 3)
    XCTAssertEqual(storage.readParts, ["tabs/"])
    XCTAssertEqual(run.report?.unread, 2)
    XCTAssertEqual(run.report?.outcome("tabs/a"), .deferred)
  }

  func testTheNumberOfNodesAndTheNextOrderAreRightAfterEveryKill() async throws {
    try await leaveTabs()
    for round in 0..<5 {
      let run = try await launch()
      XCTAssertEqual(run.report?.archive?.nodeCount, storage.nodes.count)
      try run.openPlain("tabs/new \(round)")
      if round == 3 { try run.close(at: .of("tabs/a")) }
      try run.save()
      let expected = (round < 3 ? ["a", "b", "c"] : ["b", "c"]) + (0...round).map { "new \($0)" }
      let again = try await launch()
      XCTAssertEqual(try again.children(of: .of("tabs")).map(\.id), expected)
    }
  }

  func testWhatWasClosedOrMovedIsNotReadAgain() async throws {
    try await leaveTabs()
    let run = try await launch()
    try run.close(at: .of("tabs/a"))
    try run.move(at: .of("tabs/c"), id: "z", under: .of("tabs"))
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("tabs/a")))
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("tabs/a/detail")))
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("tabs/c")))
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["b", "z"])
    XCTAssertEqual(try run.openPlain("tabs/a", 99).node.state.row, 99)
    XCTAssertEqual(try run.children(of: .of("tabs/a")), [])
    try run.save()
    XCTAssertEqual(
      Set(storage.nodes.keys), ["tabs", "tabs/a", "tabs/b", "tabs/b/detail", "tabs/z", "tabs/z/detail", "other"])
  }

  func testWhatCannotBeReadIsToldAndNothingIsOpenedInItsPlace() async throws {
    try await leaveTabs()
    let run = try await launch()
    let before = storage.records
    storage.failure = .closed(path: "")
    for ask in [
      { _ = try run.screen(PlainScreen.kind, at: .of("tabs/a")) }, { _ = try run.children(of: .of("tabs")) },
      { _ = try run.openPlain("tabs/a", 77) }, { try run.move(at: .of("tabs/b"), to: 0) },
      { try run.move(at: .of("tabs"), id: "bar", under: nil) }, { try run.close(at: .of("tabs/a")) },
      { try run.retry(at: .of("tabs/a")) },
    ] as [@MainActor () throws -> Void] {
      XCTAssertThrowsError(try ask()) { error in
        guard case .store(.closed)? = error as? RestorationError else { return XCTFail("\(error)") }
      }
    }
    storage.failure = nil
    try run.save()
    XCTAssertEqual(storage.records, before)
    XCTAssertEqual(try screen(run, "tabs/a").node.state.row, 1)
  }

  func testAnObjectThatOnlyUnreadNodesReferToKeepsItsState() async throws {
    func launch() async throws -> Restoration {
      let run = restoration()
      try run.definePlain()
      try run.register(Note("fresh"), as: Note.key)
      try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
      try await run.restore()
      return run
    }
    let first = try await launch()
    try first.openPlain("tabs").node.selection = "front"
    for id in ["front", "back"] {
      try first.open(NoteScreen.kind, id: id, under: .of("tabs"), state: Row()).note.text = "typed"
    }
    try first.save()
    let again = try await launch()
    try again.screen(NoteScreen.kind, at: .of("tabs/front"))?.node.close()
    try again.save()
    XCTAssertNotNil(storage.records["/note"])
    let last = try await launch()
    XCTAssertEqual(try last.screen(NoteScreen.kind, at: .of("tabs/back"))?.note.text, "typed")
  }

  func testAnArchiveThatIsRefusedIsSetAsideWhole() async throws {
    try await leaveTabs()
    let before = storage.nodes
    let run = restoration()
    try run.definePlain()
    try await run.restore { info in
      XCTAssertEqual(info.nodeCount, 8)
      return false
    }
    try run.openPlain("new")
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["new"])
    XCTAssertEqual(storage.scenes["main#refused"]?.filter { $0.key != "/" }, before)
  }

  func testWhereMuchIsVisibleTheRestIsReadAtOnce() async throws {
    let first = try await launch()
    try first.openPlain("tabs").node.selection = "a"
    for tab in ["a", "b"] {
      try first.openPlain("tabs/" + tab)
      for row in 0..<300 { try first.openPlain("tabs/\(tab)/\(row)", row) }
    }
    try first.save()
    // A record under a key that is not its own.
    storage.records["tabs/b/7/below"] = storage.records["tabs/b/8"]
    storage.readParts = []
    let run = try await launch()
    XCTAssertEqual(made.count, 302)
    XCTAssertEqual(storage.readParts.last, "all")
    XCTAssertLessThan(storage.readParts.count, 200)
    storage.readParts = []
    XCTAssertEqual(run.report?.unread, 0)
    XCTAssertEqual(run.report?.outcome("tabs/b/3"), .deferred)
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["a", "b"])
    XCTAssertEqual(try run.children(of: .of("tabs/b")).map(\.id), (0..<300).map(String.init))
    XCTAssertEqual(try run.children(of: nil).map(\.id), ["tabs"])
    XCTAssertEqual(try screen(run, "tabs/b/299").node.state.row, 299)
    XCTAssertEqual(storage.readParts, [])
    guard case .corrupt? = run.report?.outcome("tabs/b/7/below") else { return XCTFail("\(run.report as Any)") }
  }

  func testALaunchThatTakesTheLastSelectionBackIsReadWholeAgain() async throws {
    try await leaveTabs()
    let run = try await launch()
    try run.select(nil, at: .of("tabs"))
    try run.save()
    let second = try await launch()
    XCTAssertEqual(made.count, 8)
    try second.openPlain("more")
    try second.select("x", at: .of("more"))
    try second.select(nil, at: .of("more"))
    try second.save()
    XCTAssertEqual(second.report?.unread, 0)
  }
}
