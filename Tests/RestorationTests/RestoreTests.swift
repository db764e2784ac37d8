import RepriseEventStore
import RepriseRestoration
import XCTest

final class RestoreTests: RestorationTestCase {
  func testNothingIsReadOpenedOrSavedBeforeRestoreHasFinished() async throws {
    try await leave(["a"])
    let before = storage.records
    let run = restoration()
    try run.definePlain { node in
      XCTAssertThrowsError(try run.save())
      XCTAssertThrowsError(try run.openPlain("b"))
      node.state.row = 77
      return true
    }
    let early =
      "was called before `restore` had finished, so the screens of the archive are not open yet. Await `restore` first."
    assertThrows("screen(_:at:) \(early)", try run.screen(PlainScreen.kind, at: .of("a")))
    assertThrows("children(of:) \(early)", try run.children(of: nil))
    assertThrows("open(_:id:under:state:resumingDraft:draft:file:line:) \(early)", try run.openPlain("b"))
    assertThrows("move(at:to:) \(early)", try run.move(at: .of("a"), to: 0))
    assertThrows("save() \(early)", try run.save())
    XCTAssertNil(run.report)
    XCTAssertEqual(storage.records, before)
    try await run.restore()
    // Restore itself has written nothing; what a factory changed is written at the end of the turn.
    XCTAssertEqual(storage.writes, [])
    XCTAssertEqual(storage.records, before)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, ["a"])
  }

  func testASecondRestoreIsRefused() async throws {
    let run = restoration()
    try await run.restore()
    do {
      try await run.restore()
      XCTFail("restored twice")
    } catch {
      guard case RestorationError.alreadyRestored = error else { return XCTFail("\(error)") }
    }
  }

  func testRestoreMayBeTriedAgainAfterTheStoreCouldNotBeRead() async throws {
    try await leave(["a"])
    let run = restoration()
    try run.definePlain()
    storage.failure = .notFound(path: "x")
    do {
      try await run.restore()
      XCTFail("read what cannot be read")
    } catch {
      guard case RestorationError.store = error else { return XCTFail("\(error)") }
    }
    storage.failure = nil
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("a"), .restored)
  }

  func testWithoutAnArchiveNoFactoryRunsAndTheStartIsFresh() async throws {
    let run = restoration()
    try run.definePlain { _ in
      XCTFail("a factory ran")
      return true
    }
    let report = try await run.restore { _ in
      XCTFail("asked about an archive that is not there")
      return true
    }
    XCTAssertEqual(report.start, .fresh)
    XCTAssertNil(report.archive)
    XCTAssertTrue(report.entries.isEmpty)
  }

  func testARefusedArchiveIsKeptAndNoFactoryRuns() async throws {
    try await leave(["a", "a/b"])
    let before = storage.records
    let run = restoration(schemaVersion: 2)
    var made: [String] = []
    try run.definePlain {
      made.append($0.path.text)
      return true
    }
    let report = try await run.restore { info in
      XCTAssertEqual(info.schemaVersion, 1)
      XCTAssertEqual(info.appVersion, "1.0")
      XCTAssertEqual(info.nodeCount, 2)
      XCTAssertGreaterThan(info.savedAt, 1_700_000_000_000_000)
      return info.schemaVersion >= 2
    }
    XCTAssertEqual(report.start, .refused)
    XCTAssertTrue(report.entries.isEmpty)
    XCTAssertEqual(made, [])
    try run.save()
    XCTAssertEqual(storage.records, before)
    // The first node of this run makes room, and what was refused is set aside whole.
    try run.openPlain("c")
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["c"])
    XCTAssertEqual(storage.scenes["main#refused"], before)
    let next = restoration()
    try next.definePlain()
    let second = try await next.restore()
    XCTAssertEqual(second.entries.map(\.path.text), ["c"])
  }

  func testAnArchiveThatIsRefusedDoesNotTakeThePlaceOfOneBefore() async throws {
    try await leave(["a", "b"])
    var refused: [[String: [UInt8]]] = []
    for id in ["c", "d", "e"] {
      refused.append(storage.records)
      let run = restoration()
      try run.definePlain()
      let report = try await run.restore { _ in false }
      XCTAssertEqual(report.start, .refused)
      try run.openPlain(id)
      try run.save()
      await endOfTurn()
      run.end()
    }
    XCTAssertEqual(Set(storage.nodes.keys), ["e"])
    XCTAssertEqual(["main#refused", "main#refused-2", "main#refused-3"].map { storage.scenes[$0] }, refused)
  }

  func testParentsAreMadeBeforeChildrenInTheOrderOfTheFirstRun() async throws {
    try await leave(["b", "a", "a/z", "b/x", "a/y", "a/z/deep"])
    var seen: [String] = []
    let run = restoration()
    try run.definePlain {
      seen.append($0.path.text)
      return true
    }
    let report = try await run.restore()
    XCTAssertEqual(seen, ["b", "b/x", "a", "a/z", "a/z/deep", "a/y"])
    XCTAssertEqual(report.entries.map(\.path.text), ["b", "a", "a/z", "b/x", "a/y", "a/z/deep"])
    XCTAssertTrue(report.entries.allSatisfy { $0.outcome == .restored })
    XCTAssertEqual(try run.children(of: .of("a")).map(\.text), ["a/z", "a/y"])
    XCTAssertEqual(try run.children(of: nil).map(\.text), ["b", "a"])
  }

  func testAFactoryThatReturnsNothingCostsItsSubtreeOnly() async throws {
    try await leave(["a", "a/b", "a/b/c", "a/d", "e"])
    let before = storage.records
    let run = restoration()
    try run.definePlain { $0.path.text != "a/b" }
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("a/b"), .skipped(reason: "its factory found nothing to restore"))
    XCTAssertEqual(report.outcome("a/b/c"), .skipped(reason: "the screen 'a/b' above it was not restored"))
    for path in ["a", "a/d", "e"] { XCTAssertEqual(report.outcome(path), .restored, path) }
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testAFactoryThatThrowsCostsItsSubtreeOnlyAndTheStateIsKept() async throws {
    struct Broken: Error {}
    try await leave(["a", "a/b", "a/b/c", "a/d"])
    let before = storage.records
    let run = restoration()
    try run.definePlain { node in
      if node.path.id == "b" {
        node.state.row = 1_000
        throw Broken()
      }
      return true
    }
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("a/b"), .failed(reason: "its factory threw: Broken()"))
    XCTAssertEqual(report.outcome("a/d"), .restored)
    try run.save()
    XCTAssertEqual(storage.records, before)
    let next = restoration()
    try next.definePlain()
    let second = try await next.restore()
    XCTAssertEqual(second.outcome("a/b"), .restored)
    XCTAssertEqual(try next.screen(PlainScreen.kind, at: .of("a/b"))?.node.state.row, 1)
  }

  func testAnUnknownKindIsToldAndItsSiblingsLive() async throws {
    let first = restoration()
    try first.definePlain()
    try first.define(NodeKind<Row, PlainScreen>("gone")) { PlainScreen($0) }
    try await first.restore()
    try first.openPlain("a")
    _ = try first.open(NodeKind<Row, PlainScreen>("gone"), id: "b", state: Row(row: 5))
    try first.openPlain("b/c")
    try first.save()
    let before = storage.records

    let run = restoration()
    try run.definePlain()
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("a"), .restored)
    XCTAssertEqual(report.outcome("b"), .unresolved("no kind 'gone' is defined"))
    XCTAssertEqual(report.outcome("b/c"), .skipped(reason: "the screen 'b' above it was not restored"))
    XCTAssertEqual(
      "\(report)",
      """
      Restored 1 of 3 screens.
      b: unresolved: no kind 'gone' is defined
      b/c: skipped: the screen 'b' above it was not restored
      The archive keeps the states of these screens. `retry(at:)` tries a screen again, and `close(at:)` removes it.
      """)
    try run.save()
    XCTAssertEqual(storage.records, before)
    // A part of the program that comes later still gets its nodes.
    try run.define(NodeKind<Row, PlainScreen>("gone")) { PlainScreen($0) }
    XCTAssertEqual(run.report?.outcome("b"), .restored)
    XCTAssertEqual(run.report?.outcome("b/c"), .restored)
  }

  func testAnInstanceOfAnotherTypeIsToldAndNotTaken() async throws {
    func define(_ run: Restoration) throws {
      try run.definePlain()
      try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    }
    let first = restoration()
    try define(first)
    try first.register(Shelf(""), as: Keys.shelf)
    try await first.restore()
    _ = try first.open(ListScreen.kind, id: "list", state: Row())
    try first.openPlain("plain")
    try first.save()
    let before = storage.records

    let run = restoration()
    try define(run)
    try run.register("not a shelf", as: RestorationKey<String>("shelf"))
    let report = try await run.restore()
    XCTAssertEqual(
      report.outcome("list"),
      .failed(reason: "'shelf' is registered with the type String, but is needed with the type Shelf"))
    XCTAssertEqual(report.outcome("plain"), .restored)
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testAStateOfAnotherTypeIsToldAndKept() async throws {
    try await leave(["a", "b"])
    let before = storage.records
    let run = restoration()
    struct Other: Codable, Sendable { var name: String }
    try run.define(NodeKind<Other, PlainScreen>("plain")) { _ in
      XCTFail("made from a state of another type")
      return nil
    }
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("a"), .failed(reason: "its state could not be read: there is no value for 'name'"))
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testAScreenThatWasThereBeforeIsReportedAsReused() async throws {
    try await leave(["a", "b"])
    var shared: PlainScreen?
    let run = restoration()
    try run.define(PlainScreen.kind) { node in
      shared = shared ?? PlainScreen(node)
      return shared
    }
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("a"), .restored)
    XCTAssertEqual(report.outcome("b"), .reused)
  }

  func testAChildFindsTheScreenAboveIt() async throws {
    final class Child {
      let parent: PlainScreen
      init(_ parent: PlainScreen) { self.parent = parent }
    }
    let kind = NodeKind<Row, Child>("child")
    func define(_ run: Restoration) throws {
      try run.definePlain()
      try run.define(kind, needs: .nearestAncestor(PlainScreen.kind)) { _, parent in Child(parent) }
    }
    let first = restoration()
    try define(first)
    try await first.restore()
    try first.openPlain("a")
    _ = try first.open(kind, id: "c", under: .of("a"), state: Row())
    assertThrows(
      "The screen 'root' was not made: no screen above it is of the kind 'plain'. Remove the cause, then open the "
        + "screen again.", try first.open(kind, id: "root", state: Row()))
    try first.save()
    let run = restoration()
    try define(run)
    try await run.restore()
    XCTAssertTrue(
      try run.screen(kind, at: .of("a/c"))?.parent === run.screen(PlainScreen.kind, at: .of("a")))
  }

  func testWhatAFactoryChangesIsWrittenAfterRestore() async throws {
    try await leave(["a"])
    let run = restoration()
    try run.definePlain {
      $0.state.row = 42
      return true
    }
    try await run.restore()
    await endOfTurn()
    XCTAssertEqual(storage.writtenKeys, ["a"])
  }

  func testAnEndWhileNodesAreMadeEndsTheSceneWhenTheyAre() async throws {
    try await leave(["a", "b"])
    let before = storage.nodes
    var made: [RestorationNode<Row>] = []
    let run = restoration()
    try run.definePlain { [unowned run] node in
      made.append(node)
      run.end()
      return true
    }
    do {
      let report = try await run.restore()
      XCTFail("\(report)")
    } catch RestorationError.ended("main") {
    }
    XCTAssertEqual(made.map(\.path.text), ["a", "b"])
    XCTAssertEqual(made.map(\.isClosed), [true, true])
    XCTAssertNil(run.report)
    XCTAssertEqual(storage.released, ["main"])
    XCTAssertThrowsError(try run.openPlain("c"))
    let again = restoration()
    try again.definePlain()
    let report = try await again.restore()
    XCTAssertEqual(report.entries.map(\.outcome), [.restored, .restored])
    XCTAssertEqual(report.archive?.lastExit, .clean)
    XCTAssertEqual(storage.nodes, before)
  }
}
