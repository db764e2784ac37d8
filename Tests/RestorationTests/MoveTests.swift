import RepriseRestoration
import XCTest

/// What a move keeps: paths that can be, references, and the order of siblings.
final class MoveTests: RestorationTestCase {
  private func restored() async throws -> Restoration {
    let run = restoration()
    try run.definePlain()
    try run.define(twoPhase: "peer") { _, _ in Peer() }
    try await run.restore()
    return run
  }

  private func node(_ run: Restoration, _ path: String) throws -> RestorationNode<Row> {
    try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of(path)), path).node
  }

  private func children(_ run: Restoration, _ path: String) throws -> [String] {
    try run.children(of: path.isEmpty ? nil : .of(path)).map(\.id)
  }

  // MARK: Paths

  func testAMoveThatMakesThePathOfADescendantTooLongIsRefusedAndMovesNothing() async throws {
    let long = String(repeating: "x", count: 1_900)
    let deep = String(repeating: "y", count: 1_000)
    try await leave(["top", "top/\(long)", "sub", "sub/\(long)", "sub/\(long)/\(deep)"])
    let before = storage.nodes
    let run = try await restored()
    assertThrows(
      "The screen 'sub/\(long)/\(deep)' cannot be moved: its path would have more than 4000 bytes. Choose another "
        + "place, or leave the screen where it is.", try node(run, "sub").move(under: .of("top/\(long)")))
    try run.save()
    XCTAssertEqual(storage.nodes, before)
    XCTAssertEqual(try node(run, "sub/\(long)/\(deep)").path.id, deep)
    let next = try await restored()
    XCTAssertEqual(next.report?.entries.map(\.outcome), Array(repeating: .restored, count: 5))
  }

  // MARK: References

  @MainActor final class Peer: @MainActor RestorableScreen {
    var name = ""
    var other: Peer?
    init(_ name: String = "") { self.name = name }
    func encodeRestorableState(with coder: RestorationEncoder) {
      coder.encode(name, forKey: "name")
      if let other { coder.encodeReference(to: other, forKey: "other") }
    }
    func decodeRestorableState(with coder: RestorationDecoder) throws {
      name = try coder.decode(String.self, forKey: "name") ?? ""
      other = coder.decodeObject(forKey: "other") as? Peer
    }
  }

  private func peer(_ run: Restoration, _ path: String) throws -> Peer? { try run.screen(at: .of(path)) }

  func testAReferenceFollowsTheScreenThatIsMoved() async throws {
    let run = try await restored()
    let (master, detail) = (Peer("master"), Peer("detail"))
    master.other = detail
    let folder = try run.openPlain("folder")
    try run.adopt(detail, kind: "peer", id: "detail", under: .of("folder"))
    try run.adopt(master, kind: "peer", id: "master")
    await endOfTurn()
    try folder.node.move(id: "renamed", under: nil)
    try run.openPlain("folder")
    try run.adopt(Peer("a stranger"), kind: "peer", id: "detail", under: .of("folder"))
    await endOfTurn()
    // Once more, by a process that has not written the reference itself.
    let second = try await restored()
    XCTAssertEqual(try peer(second, "master")?.other?.name, "detail")
    try node(second, "renamed").move(id: "again", under: .of("folder"))
    await endOfTurn()
    let third = try await restored()
    XCTAssertEqual(try peer(third, "master")?.other?.name, "detail")
    XCTAssertTrue(try peer(third, "master")?.other === peer(third, "folder/again/detail"))
  }

  func testAReferenceToAClosedScreenLeadsToNoneThatComesToItsPath() async throws {
    do {
      let run = try await restored()
      let (master, detail) = (Peer("master"), Peer("detail"))
      master.other = detail
      try run.adopt(master, kind: "peer", id: "master")
      try run.adopt(detail, kind: "peer", id: "detail")
      await endOfTurn()
      run.close(detail)
      try run.adopt(Peer("a stranger"), kind: "peer", id: "detail")
      await endOfTurn()
    }
    let again = try await restored()
    XCTAssertNil(try peer(again, "master")?.other)
  }

  func testAReferenceAndWhatItLeadsToStandInOneWrite() async throws {
    let run = try await restored()
    let (master, detail) = (Peer("master"), Peer("detail"))
    try run.adopt(detail, kind: "peer", id: "detail")
    try run.adopt(master, kind: "peer", id: "master")
    await endOfTurn()
    storage.writes = []
    master.other = detail
    run.invalidateState(of: master)
    await endOfTurn()
    XCTAssertEqual(storage.writes.count, 1)
    let again = try await restored()
    XCTAssertEqual(try peer(again, "master")?.other?.name, "detail")
  }

  // MARK: Order

  func testTheOrderOfSiblingsIsTheSameBeforeAndAfterAKill() async throws {
    try await leave(["tabs", "elsewhere", "tabs/a", "tabs/b", "tabs/c", "elsewhere/x"])
    var run = try await restored()
    try node(run, "tabs/a").move(under: .of("elsewhere"))
    XCTAssertEqual(try children(run, "elsewhere"), ["x", "a"])
    try node(run, "elsewhere/a").move(under: .of("tabs"))
    try node(run, "elsewhere/x").move(under: nil)
    for _ in 0..<2 {
      XCTAssertEqual(try children(run, "tabs"), ["b", "c", "a"])
      XCTAssertEqual(try children(run, ""), ["tabs", "elsewhere", "x"])
      try run.save()
      run = try await restored()
    }
    // A node that is made later comes behind one that was moved.
    try run.openPlain("tabs/d")
    try run.save()
    run = try await restored()
    XCTAssertEqual(try children(run, "tabs"), ["b", "c", "a", "d"])
  }

  func testARenamedNodeStaysInItsPlaceAmongItsSiblings() async throws {
    try await leave(["tabs", "tabs/a", "tabs/b", "tabs/c"])
    let run = try await restored()
    try node(run, "tabs/a").move(id: "z", under: .of("tabs"))
    XCTAssertEqual(try children(run, "tabs"), ["z", "b", "c"])
    try run.save()
    let again = try await restored()
    XCTAssertEqual(try children(again, "tabs"), ["z", "b", "c"])
  }
}
