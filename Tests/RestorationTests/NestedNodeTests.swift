import RepriseRestoration
import XCTest

final class NestedNodeTests: RestorationTestCase {
  private func restored(_ make: @escaping @MainActor (RestorationNode<Row>) throws -> Bool = { _ in true }) async throws
    -> Restoration
  {
    let run = restoration()
    try run.definePlain(make)
    try await run.restore()
    return run
  }

  func testAClosedNodeTakesItsSubtreeOutOfTheArchive() async throws {
    try await leave(["a", "a/b", "a/b/c", "d"])
    let run = try await restored()
    let inner = try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of("a/b/c")))
    let outer = try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of("a")))
    outer.node.close()
    outer.node.close()
    XCTAssertTrue(inner.node.isClosed)
    inner.node.state.row = 1_000
    XCTAssertNil(try run.screen(PlainScreen.kind, at: .of("a/b")))
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["d"])
    XCTAssertEqual(storage.writtenKeys, ["-a", "-a/b", "-a/b/c"])
  }

  func testANodeThatWasNeverWrittenLeavesNoTraceWhenClosed() async throws {
    let run = try await restored()
    try run.openPlain("a").node.close()
    try run.save()
    XCTAssertEqual(storage.writes, [])
  }

  func testANodeThatOutlivesItsRestorationDoesNothing() async throws {
    try await leave(["a", "a/b"])
    var run: Restoration? = try await restored()
    let outer = try XCTUnwrap(try run?.screen(PlainScreen.kind, at: .of("a")))
    let inner = try XCTUnwrap(try run?.screen(PlainScreen.kind, at: .of("a/b")))
    weak let former = run
    run = nil
    await endOfTurn()
    XCTAssertNil(former)
    for screen in [outer, inner] {
      screen.node.state.row = 7
      screen.node.selection = "b"
      XCTAssertEqual(screen.node.visibleChildren, [])
      XCTAssertThrowsError(try screen.node.move(id: "z", under: nil))
      screen.node.close()
    }
    XCTAssertEqual(storage.writes, [])
  }

  func testANodeOpenedWhereAnotherWasClosedInTheSameTurnIsThere() async throws {
    try await leave(["a", "a/b"])
    let run = try await restored()
    try run.screen(PlainScreen.kind, at: .of("a"))?.node.close()
    try run.openPlain("a", 9)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, ["-a/b", "a"])
    XCTAssertEqual(Set(storage.nodes.keys), ["a"])
    let next = try await restored()
    XCTAssertEqual(try next.screen(PlainScreen.kind, at: .of("a"))?.node.state.row, 9)
  }

  func testAChildMovedOutSurvivesItsFormerParent() async throws {
    try await leave(["a", "a/b", "a/b/c", "d"])
    let run = try await restored()
    let moved = try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of("a/b")))
    try moved.node.move(under: .of("d"))
    XCTAssertEqual(moved.node.path.text, "d/b")
    try run.screen(PlainScreen.kind, at: .of("a"))?.node.close()
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["d", "d/b", "d/b/c"])
    let next = try await restored()
    XCTAssertEqual(next.report?.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertEqual(try next.screen(PlainScreen.kind, at: .of("d/b/c"))?.node.state.row, 2)
  }

  func testARenamedNodeKeepsItsStateAndItsSubtree() async throws {
    try await leave(["a", "a/b"])
    let run = try await restored()
    let node = try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of("a"))).node
    try node.move(under: nil)
    try run.save()
    XCTAssertEqual(storage.writes, [])
    try node.move(id: "z", under: nil)
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["z", "z/b"])
    let next = try await restored()
    XCTAssertEqual(try next.screen(PlainScreen.kind, at: .of("z/b"))?.node.state.row, 1)
  }

  func testImpossibleMovesAreRefused() async throws {
    try await leave(["a", "a/b", "c"])
    let run = try await restored()
    let node = try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of("a"))).node
    for parent in ["a", "a/b"] {
      assertThrows(
        "The screen 'a' cannot be moved: its new parent '\(parent)' is the screen itself, or is below it. Choose "
          + "another place, or leave the screen where it is.", try node.move(under: .of(parent)))
    }
    XCTAssertThrowsError(try node.move(under: .of("nowhere")))
    XCTAssertThrowsError(try node.move(id: "c", under: nil))
    XCTAssertThrowsError(try node.move(id: "x/y", under: nil))
    try run.save()
    XCTAssertEqual(storage.writes, [])
    XCTAssertEqual(node.path.text, "a")
  }

  func testAnUnclaimedChildIsKeptByteForByteThroughFurtherSaves() async throws {
    try await leave(["a", "a/b", "a/b/c"])
    let child = storage.records["a/b"]
    let grandchild = storage.records["a/b/c"]
    for row in 10..<13 {
      let run = try await restored { $0.path.text != "a/b" }
      try run.screen(PlainScreen.kind, at: .of("a"))?.node.state.row = row
      try run.openPlain("new \(row)")
      try run.save()
      XCTAssertEqual(storage.records["a/b"], child)
      XCTAssertEqual(storage.records["a/b/c"], grandchild)
    }
    let run = try await restored()
    XCTAssertEqual(run.report?.outcome("a/b/c"), .restored)
  }

  func testANodeOpenedWhereAnUnclaimedOneWasReplacesItAndWhatWasBelow() async throws {
    try await leave(["a", "a/b", "a/b/c"])
    let run = try await restored { $0.path.text != "a/b" || $0.state.row == 7 }
    try run.openPlain("a/b", 7)
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["a", "a/b"])
  }

  func testAnUnclaimedNodeStaysIfTheOneThatWasToReplaceItCouldNotBeMade() async throws {
    try await leave(["a", "a/b"])
    let before = storage.records
    let run = try await restored { _ in false }
    XCTAssertThrowsError(try run.openPlain("a", 7))
    try run.save()
    XCTAssertEqual(storage.records, before)
    XCTAssertEqual(try run.children(of: nil), [])
  }

  func testAFactoryMayOpenNodesBelowItsOwn() async throws {
    let run = restoration()
    try run.definePlain { node in
      if node.path.id == "tabs" { _ = try run.openPlain("tabs/first") }
      if node.path.id == "fails" {
        _ = try run.openPlain("fails/first")
        return false
      }
      return true
    }
    try await run.restore()
    try run.openPlain("tabs")
    XCTAssertThrowsError(try run.openPlain("fails"))
    XCTAssertThrowsError(try run.openPlain("nowhere/x"))
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["tabs", "tabs/first"])
  }

  func testAFactoryThatClosesItsOwnNodeLeavesNone() async throws {
    try await leave(["a", "a/b", "c"])
    let run = try await restored { node in
      if node.path.id == "a" { node.close() }
      return true
    }
    XCTAssertEqual(run.report?.outcome("a"), .skipped(reason: "its factory closed it"))
    XCTAssertEqual(run.report?.outcome("c"), .restored)
    XCTAssertThrowsError(try run.openPlain("a"))
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["c"])
  }

  func testAThousandLevelsAndAHundredThousandNodesNeedNoMoreStackThanOne() async throws {
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    var path: NodePath?
    for level in 0..<1_000 {
      let id = String(level % 10)
      _ = try run.open(PlainScreen.kind, id: id, under: path, state: Row(row: level))
      path = try path?.appending(id) ?? NodePath([id])
    }
    let deepest = try XCTUnwrap(path)
    try run.openPlain("wide")
    let wide = NodePath.of("wide")
    for index in 0..<100_000 {
      _ = try run.open(PlainScreen.kind, id: String(index), under: wide, state: Row(row: index))
    }
    try run.save()
    XCTAssertEqual(storage.nodes.count, 101_001)

    let next = restoration()
    // Where on the stack factories run.
    var stack: (lowest: Int, highest: Int) = (.max, 0)
    try next.definePlain { _ in
      var local: UInt8 = 0
      let address = withUnsafeMutablePointer(to: &local) { Int(bitPattern: $0) }
      stack = (min(stack.lowest, address), max(stack.highest, address))
      return true
    }
    let report = try await next.restore()
    XCTAssertLessThan(stack.highest - stack.lowest, 1_024, "a level costs stack")
    XCTAssertTrue(report.entries.allSatisfy { $0.outcome == .restored })
    XCTAssertEqual(report.entries.count, 101_001)
    XCTAssertEqual(try next.screen(PlainScreen.kind, at: deepest)?.node.state.row, 999)
    XCTAssertEqual(try next.screen(PlainScreen.kind, at: wide.appending("99999"))?.node.state.row, 99_999)
    for root in try next.children(of: nil) { try next.screen(PlainScreen.kind, at: root)?.node.close() }
    try next.save()
    XCTAssertEqual(storage.nodes.count, 0)
  }

  func testAStateThatIsSetOnAClosedNodeIsNotTakenAndThatIsTold() async throws {
    let run = try await restored()
    let node = try run.openPlain("a", 1).node
    var problems: [String] = []
    run.onProblem = { problems.append($0.description) }
    node.close()
    node.state.row = 7
    XCTAssertEqual(node.state.row, 1)
    XCTAssertEqual(problems.count, 1)
    XCTAssertTrue(problems.first?.contains("'a'") == true, "\(problems)")
  }
}
