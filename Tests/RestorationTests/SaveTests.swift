import RepriseRestoration
import XCTest

final class SaveTests: RestorationTestCase {
  func testOneChangedValueWritesOneRecord() async throws {
    try await leave(["a", "a/b", "c"])
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    try run.save()
    XCTAssertEqual(storage.writes, [])
    try run.screen(PlainScreen.kind, at: .of("a/b"))?.node.state.row = 50
    try run.save()
    XCTAssertEqual(storage.writtenKeys, ["a/b"])
  }

  func testAnEqualValueWritesNothing() async throws {
    try await leave(["a"])
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    let node = try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of("a"))).node
    let same = node.state
    node.state = same
    node.state.row += 1
    node.state.row -= 1
    try run.save()
    XCTAssertEqual(storage.writes, [])
  }

  func testManyChangesOfOneTurnAreOneWriteAtItsEnd() async throws {
    try await leave(["a", "b"])
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    let nodes = try ["a", "b"].compactMap { try run.screen(PlainScreen.kind, at: .of($0))?.node }
    for row in 10..<1_000 { for node in nodes { node.state.row = row } }
    try run.openPlain("c")
    XCTAssertEqual(storage.writes, [])
    // Until then no frame is cut, so that edits of this turn stand in the same one.
    XCTAssertEqual(storage.openTurns, 1)
    await endOfTurn()
    XCTAssertEqual(storage.writes.count, 1)
    XCTAssertEqual(storage.writtenKeys, ["a", "b", "c"])
    nodes[0].state.row = 0
    await endOfTurn()
    XCTAssertEqual(storage.writes.count, 2)
  }

  func testTheLastTurnIsWrittenThoughNobodyHoldsTheRestorationAnyMore() async throws {
    do {
      let run = restoration()
      try run.definePlain()
      try await run.restore()
      try run.openPlain("a")
      XCTAssertEqual(storage.openTurns, 1)
    }
    await endOfTurn()
    XCTAssertEqual(storage.writtenKeys, ["a"])
  }

  func testAStateThatCannotBeKeptIsNamedAndTheOthersAreKept() async throws {
    struct Text: Codable, Sendable { var text = "" }
    final class Screen {
      let node: RestorationNode<Text>
      init(_ node: RestorationNode<Text>) { self.node = node }
    }
    let kind = NodeKind<Text, Screen>("text")
    let run = restoration()
    try run.define(kind) { Screen($0) }
    try await run.restore()
    let a = try run.open(kind, id: "a", state: Text(text: "good"))
    let b = try run.open(kind, id: "b", state: Text())
    try run.save()
    let good = storage.records["a"]
    a.node.state.text = String(repeating: "x", count: 2 << 20)
    b.node.state.text = "new"
    XCTAssertThrowsError(try run.save()) { error in
      guard case .state("a", _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(storage.records["a"], good)
    XCTAssertEqual(storage.writtenKeys.suffix(1), ["b"])
    // It is told again until it is mended.
    XCTAssertThrowsError(try run.save())
    // Without anyone calling save(), it is told once.
    var problems: [String] = []
    run.onProblem = { problems.append($0.description) }
    a.node.state.text += "y"
    await endOfTurn()
    XCTAssertEqual(problems.count, 1)
    XCTAssertTrue(problems[0].contains("'a'"))
    b.node.state.text = "newer"
    await endOfTurn()
    XCTAssertEqual(problems.count, 1)
    a.node.state.text = "mended"
    XCTAssertNoThrow(try run.save())
    XCTAssertNoThrow(try run.save())
  }

  func testTheAccountOfTheArchiveGoesAlongAtMostOnceAMinute() async throws {
    var time: Int64 = 1_000_000_000
    let run = Restoration(storage: storage, schemaVersion: 3, now: { time })
    try run.definePlain()
    try await run.restore()
    let screen = try run.openPlain("a")
    func accounts() -> Int {
      storage.writes.flatMap { $0 }.count { if case .put("/", _) = $0 { true } else { false } }
    }
    for (passed, expected) in [(0, 1), (30, 1), (40, 2), (-3_600, 3), (0, 3)] as [(Int64, Int)] {
      time += passed * 1_000_000
      screen.node.state.row += 1
      try run.save()
      XCTAssertEqual(accounts(), expected)
    }
    let next = restoration()
    try await next.restore { info in
      XCTAssertEqual(info.schemaVersion, 3)
      return true
    }
  }

  func testAStateOfANewerProgramKeepsWhatThisOneDoesNotKnow() async throws {
    struct Newer: Codable, Sendable { var row = 1, zoom = 2.5 }
    final class Screen {
      let node: RestorationNode<Newer>
      init(_ node: RestorationNode<Newer>) { self.node = node }
    }
    let newer = NodeKind<Newer, Screen>("plain")
    let first = restoration()
    try first.define(newer) { Screen($0) }
    try await first.restore()
    _ = try first.open(newer, id: "a", state: Newer())
    try first.save()

    let older = restoration()
    try older.definePlain()
    try await older.restore()
    try older.screen(PlainScreen.kind, at: .of("a"))?.node.state.row = 9
    try older.save()

    let again = restoration()
    try again.define(newer) { Screen($0) }
    try await again.restore()
    let state = try again.screen(newer, at: .of("a"))?.node.state
    XCTAssertEqual(state?.row, 9)
    XCTAssertEqual(state?.zoom, 2.5)
  }
}
