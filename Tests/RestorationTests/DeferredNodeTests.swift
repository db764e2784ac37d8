import RepriseObjectModel
import RepriseRestoration
import XCTest

/// Containers that show one child: the others are made when somebody asks.
class DeferredNodeTests: RestorationTestCase {
  private(set) var made: [String] = []
  var gone: Set<String> = []

  /// A launch, and which screens it made.
  func launch() async throws -> Restoration {
    made = []
    let run = restoration()
    try run.definePlain { [unowned self] node in
      if gone.contains(node.path.id) { return false }
      made.append(node.path.text)
      return true
    }
    try run.define(twoPhase: "note") { [unowned self] path, _ in
      made.append(path.text)
      return Note("")
    }
    try await run.restore()
    storage.writes = []
    return run
  }

  /// Three tabs, the second of which is in front, each with a detail.
  func leaveTabs() async throws {
    try await leave(["tabs", "tabs/a", "tabs/a/detail", "tabs/b", "tabs/b/detail", "tabs/c", "tabs/c/detail", "other"])
    let run = try await launch()
    try screen(run, "tabs").node.selection = "b"
    try run.save()
    XCTAssertEqual(storage.writtenKeys, ["tabs"])
  }

  func screen(_ run: Restoration, _ path: String) throws -> PlainScreen {
    try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of(path)))
  }

  /// Whether a node is deferred, or was not even read.
  private func isDeferred(_ run: Restoration, _ path: String) -> Bool {
    run.report?.outcome(path) ?? .deferred == .deferred
  }

  func testOnlyWhatIsVisibleIsMade() async throws {
    try await leaveTabs()
    let before = storage.records
    let run = try await launch()
    XCTAssertEqual(made, ["tabs", "tabs/b", "tabs/b/detail", "other"])
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["a", "b", "c"])
    XCTAssertEqual(try screen(run, "tabs").node.selection, "b")
    XCTAssertEqual(try run.selection(at: .of("tabs")), "b")
    let report = try XCTUnwrap(run.report)
    XCTAssertEqual(report.outcome("tabs/b/detail"), .restored)
    XCTAssertTrue(report.isSettled)
    XCTAssertEqual(report.orphanedDrafts, [])
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testWhatIsAskedForIsMadeWithWhatIsAboveAndVisibleBelow() async throws {
    try await leaveTabs()
    let run = try await launch()
    made = []
    XCTAssertEqual(try screen(run, "tabs/a/detail").node.state.row, 2)
    XCTAssertEqual(made, ["tabs/a", "tabs/a/detail"])
    made = []
    XCTAssertEqual(try screen(run, "tabs/c").node.state.row, 5)
    XCTAssertEqual(made, ["tabs/c", "tabs/c/detail"])
    XCTAssertTrue(try screen(run, "tabs/c") === screen(run, "tabs/c"))
    XCTAssertEqual(run.report?.outcome("tabs/a/detail"), .restored)
    XCTAssertEqual(run.report?.outcome("tabs/c"), .restored)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [])
  }

  func testADeferredNodeIsKeptByteForByteAndNoPolicyDropsIt() async throws {
    try await leaveTabs()
    let before = storage.nodes.filter { $0.key.hasPrefix("tabs/a") || $0.key.hasPrefix("tabs/c") }
    XCTAssertEqual(before.count, 4)
    for row in 100..<110 {
      let run = restoration()
      run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: 1)
      try run.definePlain()
      try await run.restore()
      try screen(run, "tabs/b/detail").node.state.row = row
      try run.save()
      XCTAssertEqual(run.report?.dropped, [])
    }
    XCTAssertEqual(storage.nodes.filter { $0.key.hasPrefix("tabs/a") || $0.key.hasPrefix("tabs/c") }, before)
  }

  func testASelectionThatIsGoneCountsAsNone() async throws {
    try await leaveTabs()
    let run = try await launch()
    try screen(run, "tabs/b").node.close()
    try run.save()
    let again = try await launch()
    XCTAssertEqual(made, ["tabs", "tabs/a", "tabs/a/detail", "tabs/c", "tabs/c/detail", "other"])
    XCTAssertEqual(again.report?.outcome("tabs/a"), .restored)
  }

  func testASelectionFollowsTheChildThatIsRenamed() async throws {
    try await leaveTabs()
    let run = try await launch()
    try screen(run, "tabs/b").node.move(id: "z", under: .of("tabs"))
    XCTAssertEqual(try screen(run, "tabs").node.selection, "z")
    try run.save()
    _ = try await launch()
    XCTAssertEqual(made, ["tabs", "tabs/z", "tabs/z/detail", "other"])
  }

  func testTakingASelectionBackShowsAll() async throws {
    try await leaveTabs()
    let run = try await launch()
    try screen(run, "tabs").node.selection = nil
    try run.save()
    _ = try await launch()
    XCTAssertEqual(made.count, 8)
    try run.select("c", at: .of("tabs"))
    try run.save()
    _ = try await launch()
    XCTAssertEqual(made, ["tabs", "tabs/c", "tabs/c/detail", "other"])
  }

  func testADeferredNodeIsMovedClosedAndReorderedWithoutBeingMade() async throws {
    try await leaveTabs()
    let run = try await launch()
    made = []
    try run.move(at: .of("tabs/a"), under: .of("other"))
    try run.move(at: .of("tabs/c"), to: 0)
    try run.close(at: .of("tabs/c/detail"))
    XCTAssertEqual(made, [])
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["c", "b"])
    try run.save()
    XCTAssertEqual(
      Set(storage.nodes.keys),
      ["tabs", "tabs/b", "tabs/b/detail", "tabs/c", "other", "other/a", "other/a/detail"])
    XCTAssertEqual(try screen(run, "other/a/detail").node.state.row, 2)
    _ = try await launch()
    XCTAssertEqual(made, ["tabs", "tabs/b", "tabs/b/detail", "other", "other/a", "other/a/detail"])
  }

  func testAContainerThatIsMovedTakesItsDeferredChildrenAlong() async throws {
    try await leaveTabs()
    let run = try await launch()
    made = []
    try screen(run, "tabs").node.move(id: "bar", under: .of("other"))
    try run.save()
    XCTAssertEqual(made, [])
    XCTAssertEqual(try screen(run, "other/bar/c").node.state.row, 5)
    let again = try await launch()
    try screen(again, "other/bar").node.close()
    try again.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["other"])
  }

  func testOpeningAtThePathOfADeferredNodeGivesThatNodeTheState() async throws {
    try await leaveTabs()
    let run = try await launch()
    let reference = try run.reference(to: .of("tabs/a"))
    XCTAssertEqual(try run.openPlain("tabs/a", 77).node.state.row, 77)
    XCTAssertEqual(try run.reference(to: .of("tabs/a")), reference)
    XCTAssertEqual(try screen(run, "tabs/a/detail").node.state.row, 2)
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["a", "b", "c"])
    XCTAssertThrowsError(try run.openPlain("tabs/a", 78))
    // Below one that is deferred, those above it are made.
    try run.openPlain("tabs/c/new", 9)
    XCTAssertEqual(try screen(run, "tabs/c").node.state.row, 5)
    try run.save()
    XCTAssertEqual(Set(storage.writtenKeys), ["tabs/a", "tabs/c/new"])
    let again = try await launch()
    XCTAssertEqual(try screen(again, "tabs/a").node.state.row, 77)
  }

  func testADeferredNodeThatIsOpenedWithItsOwnStateIsNotWritten() async throws {
    try await leaveTabs()
    let run = try await launch()
    XCTAssertEqual(try run.openPlain("tabs/a", 1).node.state.row, 1)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [])
  }

  func testADeferredNodeThatCannotBeMadeWithAStateKeepsItsOwn() async throws {
    try await leaveTabs()
    let before = storage.nodes
    let run = try await launch()
    gone = ["a"]
    XCTAssertThrowsError(try run.openPlain("tabs/a", 77))
    gone = []
    try run.save()
    XCTAssertEqual(storage.nodes, before)
    try run.retry(at: .of("tabs/a"))
    XCTAssertEqual(try screen(run, "tabs/a").node.state.row, 1)
  }

  func testADeferredTwoPhaseNodeTakesUpTheStateThatItIsOpenedWith() async throws {
    try await leaveTabs()
    do {
      let run = try await launch()
      for id in ["n", "m"] { try run.adopt(Note("archived"), kind: "note", id: id, under: .of("tabs")) }
      try run.save()
    }
    let run = try await launch()
    let given: Note = try run.open("note", id: "n", under: .of("tabs")) { $0.encode("given", forKey: "text") }
    let other: Note = try run.open("note", id: "m", under: .of("tabs"))
    XCTAssertEqual([given.text, other.text], ["given", "archived"])
    await endOfTurn()
    XCTAssertEqual(storage.writtenKeys, ["tabs/n"])
    let again = try await launch()
    XCTAssertEqual(try again.screen(at: .of("tabs/n"), as: Note.self)?.text, "given")
  }

  func testAMoveToThePathOfADeferredNodeIsRefusedAndMovesNothing() async throws {
    try await leaveTabs()
    let run = try await launch()
    let before = storage.nodes
    let other = try screen(run, "other").node
    XCTAssertThrowsError(try other.move(id: "a", under: .of("tabs"))) { error in
      guard case .duplicate("tabs/a", _, _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    XCTAssertThrowsError(try run.handOver { try other.move(id: "a", under: .of("tabs")) }) { error in
      guard case .unfinishedHandover(["tabs/a"])? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["a", "b", "c"])
    try run.save()
    XCTAssertEqual(storage.nodes, before)
    XCTAssertEqual(try screen(run, "tabs/a/detail").node.state.row, 2)
    // Once it has left, or leaves with the handover.
    try run.move(at: .of("tabs/a"), id: "z", under: .of("tabs"))
    try other.move(id: "a", under: .of("tabs"))
    try run.handOver {
      try run.close(at: .of("tabs/c"))
      try screen(run, "tabs/z").node.move(id: "c", under: .of("tabs"))
    }
    XCTAssertEqual(try screen(run, "tabs/c/detail").node.state.row, 2)
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["c", "b", "a"])
  }

  func testAFactoryThatOpensADeferredChildHasItMade() async throws {
    try await leaveTabs()
    let run = restoration()
    try run.definePlain { [unowned run] node in
      if node.path.id == "tabs" { try run.openPlain("tabs/c", 77) }
      return true
    }
    try await run.restore()
    XCTAssertEqual(run.report?.outcome("tabs/c/detail"), .restored)
    XCTAssertTrue(isDeferred(run, "tabs/a"))
    XCTAssertEqual(try screen(run, "tabs/c").node.state.row, 5)
  }

  func testADeferredNodeThatCannotBeMadeIsReportedAndAskedAgain() async throws {
    try await leaveTabs()
    gone = ["a"]
    let run = try await launch()
    XCTAssertTrue(isDeferred(run, "tabs/a"))
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("tabs/a/detail")))
    XCTAssertEqual(run.report?.outcome("tabs/a"), .skipped(reason: "its factory found nothing to restore"))
    XCTAssertEqual(try run.children(of: .of("tabs")).map(\.id), ["b", "c"])
    gone = []
    try run.retry(at: .of("tabs/a/detail"))
    XCTAssertEqual(try screen(run, "tabs/a/detail").node.state.row, 2)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [])
  }

  func testAReferenceToADeferredScreenHasItMade() async throws {
    let first = try await launch()
    try first.openPlain("tabs")
    let target = Peer("target")
    let owner = Peer("owner")
    func define(_ run: Restoration) throws {
      try run.definePlain()
      try run.define(twoPhase: "peer") { path, _ in Peer(path.id) }
    }
    let run = restoration()
    try define(run)
    try await run.restore()
    try run.openPlain("tabs")
    try run.openPlain("tabs/a")
    try run.adopt(target, kind: "peer", id: "target", under: .of("tabs/a"))
    try run.adopt(owner, kind: "peer", id: "owner", under: .of("tabs"))
    owner.peer = target
    try run.select("owner", at: .of("tabs"))
    try run.save()
    let again = restoration()
    try define(again)
    try await again.restore()
    let restored: Peer = try XCTUnwrap(try again.screen(at: .of("tabs/owner")))
    XCTAssertEqual(restored.peer?.name, "target")
    XCTAssertEqual(restored.peer?.decoded, 1)
    XCTAssertEqual(restored.peer?.finished, 1)
    XCTAssertEqual(again.report?.outcome("tabs/a/target"), .restored)
  }

  func testWorkOfADeferredEditorStaysAndIsThereWhenItIsAskedFor() async throws {
    func launch() async throws -> Restoration {
      let run = restoration()
      try run.definePlain()
      try run.register(MemoryContext(storage), as: Keys.root)
      try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
        EditorScreen($0, $1)
      }
      try await run.restore()
      return run
    }
    let first = try await launch()
    try first.openPlain("tabs").node.selection = "front"
    try first.openPlain("tabs/front")
    try first.open(EditorScreen.kind, id: "back", under: .of("tabs"), state: Row()).context.edit("typed")
    try first.save()
    let again = try await launch()
    XCTAssertTrue(isDeferred(again, "tabs/back"))
    XCTAssertEqual(again.report?.orphanedDrafts, [])
    XCTAssertEqual(try again.screen(EditorScreen.kind, at: .of("tabs/back"))?.context.edits, ["typed"])
  }

  func testWhatIsRegisteredAfterRestoreHasItsKeptStateBeforeADeferredNodeReceivesIt() async throws {
    func launch(_ note: Note?) async throws -> Restoration {
      let run = restoration()
      try run.definePlain()
      try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
      if let note { try run.register(note, as: Note.key) }
      try await run.restore()
      return run
    }
    let first = try await launch(Note("kept"))
    try first.openPlain("tabs").node.selection = "front"
    try first.openPlain("tabs/front")
    try first.open(NoteScreen.kind, id: "back", under: .of("tabs"), state: Row(row: 5))
    try first.save()
    let before = storage.records
    let run = try await launch(nil)
    // What nothing visible needs is missed by nobody.
    XCTAssertEqual(run.report?.outcome("tabs/front"), .restored)
    XCTAssertTrue(isDeferred(run, "tabs/back"))
    try run.register(Note("fresh"), as: Note.key)
    let back = try XCTUnwrap(try run.screen(NoteScreen.kind, at: .of("tabs/back")))
    XCTAssertEqual([back.textWhenMade, back.note.text], ["kept", "kept"])
    XCTAssertEqual(back.node.state.row, 5)
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  /// In one turn: what was moved must be written under its new key though its factory fails.
  func testADeferredNodeThatIsMovedAndThenCannotBeMadeIsNotLost() async throws {
    try await leaveTabs()
    gone = ["a"]
    let run = try await launch()
    try run.move(at: .of("tabs/a"), under: .of("other"))
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("other/a")))
    try run.save()
    XCTAssertNil(storage.nodes["tabs/a"])
    gone = []
    let again = try await launch()
    XCTAssertEqual(try screen(again, "other/a/detail").node.state.row, 2)
  }

  func testASceneThatIsEndedIsRestoredAnewWithItsDeferredNodes() async throws {
    try await leaveTabs()
    let before = storage.nodes
    let run = try await launch()
    let tabs = try screen(run, "tabs")
    run.end()
    XCTAssertEqual(storage.nodes, before)
    XCTAssertTrue(tabs.node.isClosed)
    XCTAssertThrowsError(try run.screen(PlainScreen.kind, at: .of("tabs/c")))
    let again = try await launch()
    XCTAssertEqual(try screen(again, "tabs/c").node.state.row, 5)
  }

  func testASelectionOfAClosedNodeIsToldAndOfNobodyRefused() async throws {
    try await leaveTabs()
    let run = try await launch()
    let tabs = try screen(run, "tabs").node
    var problems: [String] = []
    run.onProblem = { problems.append($0.description) }
    tabs.close()
    tabs.selection = "a"
    XCTAssertNil(tabs.selection)
    XCTAssertEqual(problems.count, 1)
    XCTAssertThrowsError(try run.select("a", at: .of("tabs")))
  }
}

@MainActor private final class Peer: @MainActor RestorableScreen {
  let name: String
  var peer: Peer?
  var decoded = 0
  var finished = 0
  init(_ name: String) { self.name = name }
  func encodeRestorableState(with coder: RestorationEncoder) {
    if let peer { coder.encodeReference(to: peer, forKey: "peer") }
  }
  func decodeRestorableState(with coder: RestorationDecoder) throws {
    decoded += 1
    peer = coder.decodeObject(forKey: "peer") as? Peer
  }
  func restorationFinished() { finished += 1 }
}
