import RepriseRestoration
import XCTest

/// Containers that show several of their children, and scenes that show several of their roots.
class VisibleChildrenTests: RestorationTestCase {
  private var made: [String] = []

  fileprivate func launch() async throws -> Restoration {
    made = []
    let run = restoration()
    try run.definePlain { [unowned self] node in
      made.append(node.path.text)
      return true
    }
    try await run.restore()
    storage.writes = []
    return run
  }

  private func screen(_ run: Restoration, _ path: String) throws -> PlainScreen {
    try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of(path)))
  }

  /// A sidebar beside three tabs.
  fileprivate func leaveTabsBesideASidebar() async throws {
    try await leave([
      "split", "split/sidebar", "split/sidebar/tree", "split/a", "split/a/detail", "split/b", "split/b/detail",
      "split/c", "split/c/detail",
    ])
    let run = try await launch()
    try screen(run, "split").node.visibleChildren = ["b", "sidebar"]
    try run.save()
    XCTAssertEqual(storage.writtenKeys, ["split"])
  }

  func testTheTabInFrontIsMadeAndTheSidebarBesideItAndNoOtherTab() async throws {
    try await leaveTabsBesideASidebar()
    let before = storage.records
    let run = try await launch()
    XCTAssertEqual(made, ["split", "split/sidebar", "split/sidebar/tree", "split/b", "split/b/detail"])
    XCTAssertEqual(try screen(run, "split").node.visibleChildren, ["b", "sidebar"])
    XCTAssertEqual(try screen(run, "split").node.selection, "b", "the one in front")
    XCTAssertEqual(try run.visibleChildren(of: .of("split")), ["b", "sidebar"])
    XCTAssertEqual(try run.children(of: .of("split")).map(\.id), ["sidebar", "a", "b", "c"])
    XCTAssertEqual(try screen(run, "split/c/detail").node.state.row, 8)
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testAVisibleChildThatIsGoneTakesNoOtherAlong() async throws {
    try await leaveTabsBesideASidebar()
    let run = try await launch()
    try screen(run, "split/b").node.close()
    try run.save()
    _ = try await launch()
    XCTAssertEqual(made, ["split", "split/sidebar", "split/sidebar/tree"])
  }

  func testVisibleChildrenFollowARenamedOneAndKeepTheirOrder() async throws {
    try await leaveTabsBesideASidebar()
    let run = try await launch()
    try screen(run, "split/sidebar").node.move(id: "drawer", under: .of("split"))
    XCTAssertEqual(try screen(run, "split").node.visibleChildren, ["b", "drawer"])
    try run.save()
    _ = try await launch()
    XCTAssertEqual(made, ["split", "split/drawer", "split/drawer/tree", "split/b", "split/b/detail"])
  }

  func testWhatCanBeNoIDNamesNoChild() async throws {
    try await leaveTabsBesideASidebar()
    let run = try await launch()
    let node = try screen(run, "split").node
    node.visibleChildren = ["a/detail", "", "c", "c", "nobody"]
    XCTAssertEqual(node.visibleChildren, ["c", "nobody"])
    try run.save()
    _ = try await launch()
    XCTAssertEqual(made, ["split", "split/c", "split/c/detail"])
    try run.setVisibleChildren(["a/detail"], of: .of("split"))
    XCTAssertEqual(try run.visibleChildren(of: .of("split")), [])
  }

  func testVisibleChildrenInSeveralLevelsLeadToWhatIsOnTheScreen() async throws {
    try await leaveTabsBesideASidebar()
    let run = try await launch()
    for id in ["x", "y", "z"] { try run.openPlain("split/b/\(id)") }
    try screen(run, "split/b").node.visibleChildren = ["z", "x"]
    try run.save()
    _ = try await launch()
    XCTAssertEqual(
      made, ["split", "split/sidebar", "split/sidebar/tree", "split/b", "split/b/x", "split/b/z"])
  }

  // MARK: Roots

  /// Three roots, the last two of which are visible.
  private func leaveRoots() async throws {
    try await leave(["main", "main/list", "palette", "panel", "panel/form"])
    let run = try await launch()
    try run.setVisibleChildren(["panel", "palette"], of: nil)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [], "the scene's account of itself says it")
  }

  func testOfTheRootsOnlyThoseThatTheSceneShowsAreMade() async throws {
    try await leaveRoots()
    let before = storage.nodes
    let run = try await launch()
    XCTAssertEqual(made, ["palette", "panel", "panel/form"])
    XCTAssertEqual(try run.selection(at: nil), "panel")
    XCTAssertEqual(try run.visibleChildren(of: nil), ["panel", "palette"])
    XCTAssertEqual(try run.children(of: nil).map(\.id), ["main", "palette", "panel"])
    XCTAssertEqual(run.report?.outcome("main"), .deferred)
    XCTAssertTrue(try XCTUnwrap(run.report).isSettled)
    try screen(run, "panel").node.state.row = 70
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), Set(before.keys))
    XCTAssertEqual(storage.nodes["main/list"], before["main/list"])
    let again = try await launch()
    XCTAssertEqual(made, ["palette", "panel", "panel/form"], "it stays so")
    XCTAssertEqual(try screen(again, "main/list").node.state.row, 1)
    XCTAssertEqual(made.suffix(2), ["main", "main/list"])
  }

  func testOpeningAtThePathOfADeferredRootGivesThatNodeTheState() async throws {
    try await leaveRoots()
    let run = try await launch()
    XCTAssertEqual(try run.openPlain("main", 99).node.state.row, 99)
    XCTAssertEqual(try screen(run, "main/list").node.state.row, 1)
  }

  func testTheSelectionOfTheRootsFollowsARenameAndIsTakenBack() async throws {
    try await leaveRoots()
    let run = try await launch()
    try screen(run, "panel").node.move(id: "inspector", under: nil)
    XCTAssertEqual(try run.visibleChildren(of: nil), ["inspector", "palette"])
    try run.save()
    let again = try await launch()
    XCTAssertEqual(made, ["palette", "inspector", "inspector/form"])
    try again.select(nil, at: nil)
    try again.save()
    _ = try await launch()
    XCTAssertEqual(made, ["main", "main/list", "palette", "inspector", "inspector/form"])
  }

  func testRootsThatAreAllGoneLeaveTheOthersVisible() async throws {
    try await leaveRoots()
    let run = try await launch()
    try run.close(at: .of("panel"))
    try run.close(at: .of("palette"))
    try run.save()
    _ = try await launch()
    XCTAssertEqual(made, ["main", "main/list"])
  }

  func testANodeWhoseParentIsLostIsReportedThoughTheSceneShowsOthers() async throws {
    try await leaveRoots()
    storage.records["main"] = nil
    let run = try await launch()
    let outcome = run.report?.outcome("main/list")
    if storage.readsInParts {
      XCTAssertNil(outcome, "it was not read")
    } else {
      XCTAssertEqual(outcome, .skipped(reason: "its parent screen 'main' is not in the archive"))
    }
    try run.save()
    XCTAssertNotNil(storage.nodes["main/list"])
  }
}

/// The same where records are read when somebody asks.
final class UnreadVisibleChildrenTests: VisibleChildrenTests {
  override func setUp() async throws { storage.readsInParts = true }

  func testTheRecordsOfOtherTabsAreNotRead() async throws {
    try await leaveTabsBesideASidebar()
    storage.readParts = []
    _ = try await launch()
    XCTAssertFalse(storage.readParts.contains { $0.hasPrefix("split/a") || $0.hasPrefix("split/c") })
    XCTAssertTrue(storage.readParts.contains("split/b"))
  }
}
