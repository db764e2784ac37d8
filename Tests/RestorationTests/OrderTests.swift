import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// The order of siblings: kept, changed, and there again after a kill.
final class OrderTests: RestorationTestCase {
  private func run() async throws -> Restoration {
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    storage.writes = []
    return run
  }

  private func ids(_ run: Restoration, _ path: String = "tabs") throws -> String {
    try run.children(of: .of(path)).map(\.id).joined(separator: " ")
  }

  /// The order that the next launch finds.
  private func idsAgain(_ path: String = "tabs") async throws -> String { try ids(try await run(), path) }

  private func node(_ run: Restoration, _ path: String) throws -> RestorationNode<Row> {
    try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of(path))).node
  }

  func testATabThatIsMovedStandsThereAfterAKillAndOneRecordIsWritten() async throws {
    try await leave(["tabs", "tabs/a", "tabs/b", "tabs/c", "tabs/d"])
    let moves: [(String, Int, String)] = [
      ("d", 0, "d a b c"), ("d", 1, "a d b c"), ("a", 3, "d b c a"), ("c", 1, "d c b a"), ("b", 1, "d b c a"),
    ]
    for (id, index, order) in moves {
      let run = try await run()
      try node(run, "tabs/" + id).move(to: index)
      XCTAssertEqual(try ids(run), order)
      try run.save()
      XCTAssertEqual(storage.writtenKeys, ["tabs/" + id])
      let again = try await idsAgain()
      XCTAssertEqual(again, order)
    }
    let run = try await run()
    try node(run, "tabs/b").move(to: 1)
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [])
    try run.openPlain("tabs/e")
    try run.save()
    let again = try await idsAgain()
    XCTAssertEqual(again, "d b c a e")
  }

  func testRootsAndTwoPhaseScreensAreMovedLikeOthers() async throws {
    func launch() async throws -> Restoration {
      let run = restoration()
      try run.define(twoPhase: "note") { _, _ in Note("") }
      try await run.restore()
      return run
    }
    let first = try await launch()
    for id in ["a", "b", "c"] { try first.adopt(Note(id), kind: "note", id: id) }
    try first.move(at: .of("c"), to: 0)
    try first.save()
    let again = try await launch()
    XCTAssertEqual(try again.children(of: nil).map(\.id), ["c", "a", "b"])
  }

  func testAnIndexThatIsNoneAndANodeThatIsGoneAreRefused() async throws {
    try await leave(["tabs", "tabs/a", "tabs/b"])
    let run = try await run()
    let a = try node(run, "tabs/a")
    for index in [-1, 2, .max] {
      assertThrows(
        "The screen 'tabs/a' cannot be moved: its index would be \(index), but must be 0 to 1. Choose another place, "
          + "or leave the screen where it is.", try a.move(to: index))
    }
    a.close()
    XCTAssertThrowsError(try a.move(to: 0))
    XCTAssertThrowsError(try run.move(at: .of("tabs/a"), to: 0))
    try run.save()
    XCTAssertEqual(storage.writtenKeys, ["-tabs/a"])
  }

  func testANodeThatWasMovedAmongItsSiblingsTakesNoOldPlaceToItsNewParent() async throws {
    try await leave(["tabs", "tabs/a", "tabs/b", "other", "other/x", "other/y"])
    let run = try await run()
    try node(run, "tabs/b").move(to: 0)
    try node(run, "tabs/b").move(under: .of("other"))
    XCTAssertEqual(try ids(run, "other"), "x y b")
    try run.save()
    let again = try await idsAgain("other")
    XCTAssertEqual(again, "x y b")
  }

  /// Those that were not restored are not listed, and stay where they are.
  func testAnIndexCountsWhatIsListed() async throws {
    try await leave(["tabs", "tabs/a", "tabs/gone", "tabs/b", "tabs/c"])
    let run = restoration()
    try run.definePlain { $0.path.id != "gone" }
    try await run.restore()
    try node(run, "tabs/c").move(to: 1)
    XCTAssertEqual(try ids(run), "a c b")
    try run.save()
    let again = try await idsAgain()
    XCTAssertEqual(again, "a gone c b")
  }

  func testTheSameTwoMovesAgainAndAgainMakeNoRecordLong() async throws {
    try await leave(["tabs"] + (0..<20).map { "tabs/\($0)" })
    let run = try await run()
    var order = (0..<20).map(String.init)
    var written = 0
    for round in 0..<2_000 {
      // Always into the gap behind the first: keys between two neighbours grow by a bit each time.
      let id = order.removeLast()
      order.insert(id, at: round % 3 == 0 ? 0 : 1)
      try node(run, "tabs/" + id).move(to: round % 3 == 0 ? 0 : 1)
      storage.writes = []
      try run.save()
      written += storage.writtenKeys.count
    }
    XCTAssertEqual(try ids(run), order.joined(separator: " "))
    XCTAssertLessThan(storage.nodes.values.map(\.count).max() ?? 0, 100)
    XCTAssertLessThan(written, 4_000)
    let again = try await idsAgain()
    XCTAssertEqual(again, order.joined(separator: " "))
  }

  func testANewNodeStandsBehindOneThatWasMovedBetweenNodesThatAreGone() async throws {
    try await leave(["tabs", "tabs/a", "tabs/b", "tabs/c"])
    var run = try await run()
    try node(run, "tabs/a").move(to: 2)
    try node(run, "tabs/b").move(to: 1)
    XCTAssertEqual(try ids(run), "c b a")
    for id in ["c", "a"] { try node(run, "tabs/" + id).close() }
    try run.save()
    run = try await self.run()
    try run.openPlain("tabs/d")
    try run.save()
    XCTAssertEqual(try ids(run), "b d")
    let again = try await idsAgain()
    XCTAssertEqual(again, "b d")
  }

  func testRandomMovesLeadToTheOrderOfAnArray() async throws {
    for seed in testSeeds(20) {
      var generator = SeededGenerator(seed: seed)
      storage.records = [:]
      try await leave(["tabs"])
      var order: [String] = []
      var run = try await run()
      for step in 0..<120 {
        let index = order.isEmpty ? 0 : Int.random(in: 0..<order.count, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1:
          order.append("n\(step)")
          try run.openPlain("tabs/n\(step)")
        case 2 where !order.isEmpty:
          try node(run, "tabs/" + order.remove(at: index)).close()
        case 3:
          try run.save()
          run = try await self.run()
        default:
          guard !order.isEmpty else { continue }
          let id = order.remove(at: index)
          let place = Int.random(in: 0...order.count, using: &generator)
          order.insert(id, at: place)
          try node(run, "tabs/" + id).move(to: place)
        }
        XCTAssertEqual(try ids(run), order.joined(separator: " "), "seed \(seed), step \(step)")
      }
      try run.save()
      run = try await self.run()
      XCTAssertEqual(try ids(run), order.joined(separator: " "), "seed \(seed)")
    }
  }
}
