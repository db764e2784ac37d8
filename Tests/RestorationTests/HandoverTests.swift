import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// Moves within a handover: nodes take each other's places, or all is as it was before.
final class HandoverTests: RestorationTestCase {
  private func restored() async throws -> Restoration {
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    return run
  }

  private func row(_ run: Restoration, _ path: String) throws -> Int? {
    try run.screen(PlainScreen.kind, at: .of(path))?.node.state.row
  }

  private func node(_ run: Restoration, _ path: String) throws -> RestorationNode<Row> {
    try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of(path)), path).node
  }

  /// The rows of all nodes by their paths.
  private func rows(_ run: Restoration) throws -> [String: Int] {
    var found: [String: Int] = [:]
    func look(below path: NodePath?) throws {
      for child in try run.children(of: path) {
        found[child.text] = try row(run, child.text)
        try look(below: child)
      }
    }
    try look(below: nil)
    return found
  }

  /// What the next launch has.
  private func assertNext(_ expected: [String: Int], line: UInt = #line) async throws {
    await endOfTurn()
    let next = try await restored()
    XCTAssertEqual(try rows(next), expected, line: line)
  }

  func testTwoNodesChangePlaces() async throws {
    try await leave(["a", "a/x", "b", "b/x", "c"])
    let run = try await restored()
    try run.select("a", at: nil)
    let (a, b) = (try node(run, "a"), try node(run, "b"))
    try run.handOver {
      try a.move(id: "b", under: nil)
      XCTAssertEqual(a.path.text, "b")
      XCTAssertEqual(try row(run, "b"), 0)
      try b.move(id: "a", under: nil)
    }
    let expected = ["a": 2, "a/x": 3, "b": 0, "b/x": 1, "c": 4]
    XCTAssertEqual(try rows(run), expected)
    XCTAssertEqual(try run.selection(at: nil), "b")
    try run.save()
    let next = try await restored()
    try next.select(nil, at: nil)
    XCTAssertEqual(try next.children(of: nil).map(\.id), ["b", "a", "c"])
    for path in ["a", "a/x", "c"] { try next.retry(at: .of(path)) }
    XCTAssertEqual(try rows(next), expected)
  }

  func testAContainerOpenedInThePlaceOfAScreenTakesItIn() async throws {
    try await leave(["a", "a/x", "a/x/deep"])
    let run = try await restored()
    let old = try node(run, "a")
    try run.handOver {
      try run.openPlain("a", 9)
      try old.move(id: "x", under: .of("a"))
    }
    let expected = ["a": 9, "a/x": 0, "a/x/x": 1, "a/x/x/deep": 2]
    XCTAssertEqual(try rows(run), expected)
    try run.save()
    try await assertNext(expected)
  }

  func testANewOwnerTakesTheChildrenOverAtTheirPaths() async throws {
    try await leave(["a", "a/x", "a/x/deep", "a/y"])
    let run = try await restored()
    let (old, x) = (try node(run, "a"), try node(run, "a/x"))
    try run.handOver {
      try run.openPlain("a", 9)
      try x.move(under: .of("a"))
      old.close()
    }
    let expected = ["a": 9, "a/x": 1, "a/x/deep": 2]
    XCTAssertEqual(try rows(run), expected)
    try run.save()
    try await assertNext(expected)
  }

  func testAHandoverWhoseMovesLeaveSomebodyInTheWayIsUndoneAndWritesNothing() async throws {
    try await leave(["a", "a/x", "b", "b/x", "b/y", "c"])
    let run = try await restored()
    try run.setVisibleChildren(["a", "b"], of: nil)
    try run.select("y", at: .of("b"))
    try run.save()
    await endOfTurn()
    storage.writes = []
    let before = try rows(run)
    let (a, b, c) = (try node(run, "a"), try node(run, "b"), try node(run, "c"))
    XCTAssertThrowsError(
      try run.handOver {
        try c.move(id: "z", under: .of("b"))
        try node(run, "b/y").move(id: "w", under: .of("b"))
        try a.move(id: "b", under: nil)
        try run.openPlain("a", 7)
        try run.openPlain("b/new", 8)
      }
    ) { error in
      guard case .unfinishedHandover(["b", "b/x"])? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(try rows(run), before)
    XCTAssertEqual([a, b, c].map(\.path.text), ["a", "b", "c"])
    XCTAssertEqual(try run.children(of: nil).map(\.id), ["a", "b", "c"])
    XCTAssertEqual(try run.selection(at: .of("b")), "y")
    XCTAssertEqual(try run.visibleChildren(of: nil), ["a", "b"])
    try run.save()
    await endOfTurn()
    XCTAssertEqual(storage.writes.count, 0)
  }

  func testWhoTookAPathAndIsClosedGivesItBack() async throws {
    try await leave(["a", "b", "b/x"])
    let run = try await restored()
    let a = try node(run, "a")
    try run.handOver {
      try a.move(id: "b", under: nil)
      a.close()
      try run.openPlain("b", 9).node.close()
    }
    XCTAssertEqual(try rows(run), ["b": 1, "b/x": 2])
    try run.save()
    try await assertNext(["b": 1, "b/x": 2])
  }

  func testWhatWasNotMadeComesBackIfItsPathIsNotTaken() async throws {
    try await leave(["a", "b", "c"])
    let run = restoration()
    try run.definePlain { $0.path.text != "b" }
    try await run.restore()
    XCTAssertThrowsError(
      try run.handOver {
        try run.openPlain("b", 8)
        try run.openPlain("c", 9)
      })
    try run.save()
    try await assertNext(["a": 0, "b": 1, "c": 2])
  }

  /// Who comes to its path and goes again does not keep its record.
  func testANodeThatWasClosedStaysSoWhateverAHandoverTakesBack() async throws {
    try await leave(["a", "b"])
    let run = try await restored()
    let (a, b) = (try node(run, "a"), try node(run, "b"))
    try b.move(id: "c", under: nil)
    b.close()
    XCTAssertThrowsError(
      try run.handOver {
        try a.move(id: "b", under: nil)
        try run.openPlain("b", 9)
      })
    try run.save()
    try await assertNext(["a": 0])
  }

  private struct Abandoned: Error {}

  func testAHandoverWhoseBodyThrowsIsUndoneWithItsClosesAndWritesNothing() async throws {
    try await leave(["a", "a/x", "b", "c", "d"])
    let run = try await restored()
    let (a, b, c) = (try node(run, "a"), try node(run, "b"), try node(run, "c"))
    let before = try rows(run)
    storage.writes = []
    XCTAssertThrowsError(
      try run.handOver {
        try run.openPlain("b", 9)
        try a.move(id: "z", under: .of("b"))
        b.close()
        c.close()
        XCTAssertThrowsError(try run.openPlain("c/new"), "it is about to be closed")
        try run.move(at: .of("d"), to: 0)
        throw Abandoned()
      }
    ) { XCTAssertTrue($0 is Abandoned, "\($0)") }
    XCTAssertEqual(try rows(run), before)
    XCTAssertEqual([a, b, c].map(\.path.text), ["a", "b", "c"])
    XCTAssertEqual([a, b, c].map(\.isClosed), [false, false, false])
    XCTAssertEqual(try run.children(of: nil).map(\.id), ["a", "b", "c", "d"])
    try run.save()
    await endOfTurn()
    XCTAssertEqual(storage.writes.count, 0)
    b.state.row = 20
    try run.save()
    try await assertNext(["a": 0, "a/x": 1, "b": 20, "c": 3, "d": 4])
  }

  func testAHandoverThatIsUndonePutsOffWhatItMadeWithAnotherState() async throws {
    try await leave(["a", "b", "b/x"])
    do {
      let run = try await restored()
      try run.select("a", at: nil)
      try run.save()
    }
    let before = storage.nodes
    let run = try await restored()
    XCTAssertThrowsError(
      try run.handOver {
        XCTAssertEqual(try run.openPlain("b", 9).node.state.row, 9)
        try run.openPlain("b/new")
        throw Abandoned()
      })
    XCTAssertEqual(run.report?.outcome("b") ?? .deferred, .deferred)
    try run.save()
    XCTAssertEqual(storage.nodes, before)
    XCTAssertEqual(try rows(run), ["a": 0, "b": 1, "b/x": 2])
  }

  func testAScreenWhoseNodeIsClosedInAHandoverMayHaveAnotherOne() async throws {
    let run = restoration()
    try run.define(twoPhase: "note") { _, _ in Note("") }
    try await run.restore()
    let note = Note("typed")
    try run.adopt(note, kind: "note", id: "a")
    func move(to id: String, _ isAbandoned: Bool) throws {
      try run.handOver {
        run.close(note)
        try run.adopt(note, kind: "note", id: id)
        if isAbandoned { throw Abandoned() }
      }
    }
    XCTAssertThrowsError(try move(to: "b", true))
    XCTAssertEqual(try run.children(of: nil).map(\.id), ["a"])
    try move(to: "c", false)
    XCTAssertEqual(try run.children(of: nil).map(\.id), ["c"])
    run.close(note)
    XCTAssertEqual(try run.children(of: nil), [])
  }

  // MARK: At random

  /// A node as it should be.
  private final class Model {
    let row: Int
    var id: String
    var parent: Model?

    init(_ row: Int, _ id: String, under parent: Model?) { (self.row, self.id, self.parent) = (row, id, parent) }

    var path: String { parent.map { $0.path + "/" + id } ?? id }
    func isBelow(_ other: Model) -> Bool { parent.map { $0 === other || $0.isBelow(other) } ?? false }
  }

  func testRandomHandoversEndAsTheyShouldOrChangeNothing() async throws {
    var (finished, undone) = (0, 0)
    for seed in testSeeds(40) {
      var random = RepriseTestSeeds.SeededGenerator(seed: seed)
      storage.scenes = [:]
      var run = try await restored()
      var models: [Model] = []
      var nodes: [Int: RestorationNode<Row>] = [:]
      var lastRow = 0
      let ids = ["a", "b", "c", "d"]
      func open(_ id: String, under parent: Model?) throws {
        lastRow += 1
        let model = Model(lastRow, id, under: parent)
        nodes[lastRow] = try run.openPlain(model.path, lastRow).node
        models.append(model)
      }
      for _ in 0..<8 {
        let id = ids.randomElement(using: &random) ?? "a"
        let parent = (models + [nil]).randomElement(using: &random) ?? nil
        if !models.contains(where: { $0.parent === parent && $0.id == id }) { try open(id, under: parent) }
      }
      for _ in 0..<6 {
        let before = models.map { ($0, $0.id, $0.parent) }
        let (rowsBefore, pathsBefore) = (try rows(run), models.map(\.path))
        var isUnique = true
        do {
          try run.handOver {
            for _ in 0..<Int.random(in: 1...5, using: &random) {
              let id = ids.randomElement(using: &random) ?? "a"
              var parent = (models + [nil]).randomElement(using: &random) ?? nil
              // Who has the path now is asked by it.
              if let other = parent, try row(run, other.path) != other.row { parent = nil }
              guard let model = models.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 else {
                let rival = models.contains { $0.parent === parent && $0.id == id }
                if !rival || Bool.random(using: &random) { try open(id, under: parent) }
                continue
              }
              if let parent, parent === model || parent.isBelow(model) { continue }
              try nodes[model.row]?.move(id: id, under: parent.map { .of($0.path) })
              (model.id, model.parent) = (id, parent)
            }
            let present = Dictionary(grouping: models, by: \.path)
            isUnique = present.allSatisfy { $1.count == 1 }
            if isUnique || Bool.random(using: &random) { return }
            // All but one leave.
            for others in present.values where others.count > 1 {
              for other in others.dropFirst() {
                nodes[other.row]?.close()
                models.removeAll { $0 === other || $0.isBelow(other) }
              }
            }
            isUnique = Set(models.map(\.path)).count == models.count
          }
          finished += 1
          XCTAssertTrue(isUnique, "seed \(seed)")
        } catch {
          undone += 1
          guard case .unfinishedHandover? = error as? RestorationError else { throw error }
          XCTAssertFalse(isUnique, "seed \(seed)")
          models = before.map { model, id, parent in
            (model.id, model.parent) = (id, parent)
            return model
          }
          XCTAssertEqual(try rows(run), rowsBefore, "seed \(seed)")
          XCTAssertEqual(models.map { nodes[$0.row]?.path.text }, pathsBefore)
        }
        let expected = Dictionary(models.map { ($0.path, $0.row) }) { first, _ in first }
        XCTAssertEqual(try rows(run), expected, "seed \(seed)")
        for model in models { XCTAssertEqual(try row(run, model.path), model.row, "seed \(seed)") }
        if Bool.random(using: &random) { try run.save() }
      }
      try run.save()
      await endOfTurn()
      let expected = Dictionary(models.map { ($0.path, $0.row) }) { first, _ in first }
      run.end()
      run = try await restored()
      XCTAssertEqual(try rows(run), expected, "seed \(seed)")
      run.end()
    }
    XCTAssertGreaterThan(min(finished, undone), 0)
  }
}
