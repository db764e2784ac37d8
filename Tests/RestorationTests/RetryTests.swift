import RepriseRestoration
import XCTest

/// Nodes whose factories found nothing to restore, and are asked again.
final class RetryTests: RestorationTestCase {
  private struct Broken: Error {}
  private var missing: Set<String> = []

  private func run() async throws -> Restoration {
    let run = restoration()
    try run.definePlain { [unowned self] node in
      if node.path.id == "broken", missing.contains("broken") { throw Broken() }
      return !missing.contains(node.path.id)
    }
    try await run.restore()
    return run
  }

  private func row(_ run: Restoration, _ path: String) throws -> Int? {
    try run.screen(PlainScreen.kind, at: .of(path))?.node.state.row
  }

  func testAFactoryThatFoundNothingIsAskedAgainAndGetsTheStateThatWasKept() async throws {
    try await leave(["a", "a/b", "a/b/c", "d"])
    missing = ["b"]
    let run = try await run()
    XCTAssertThrowsError(try run.retry(at: .of("a/b"))) { error in
      guard case .notBuilt(.of("a/b"), _)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    XCTAssertNil(try row(run, "a/b"))
    missing = []
    try run.retry(at: .of("a/b"))
    XCTAssertEqual(try row(run, "a/b"), 1)
    XCTAssertEqual(try row(run, "a/b/c"), 2)
    XCTAssertEqual(run.report?.entries.map(\.outcome), Array(repeating: .restored, count: 4))
    try run.save()
    XCTAssertEqual(storage.writtenKeys, [])
  }

  func testANodeBelowOneThatWasNotRestoredBringsItBackToo() async throws {
    try await leave(["a", "a/b", "a/b/c", "a/x"])
    missing = ["a"]
    let run = try await run()
    missing = ["x"]
    try run.retry(at: .of("a/b/c"))
    XCTAssertEqual(try row(run, "a/b/c"), 2)
    XCTAssertEqual(run.report?.outcome("a"), .restored)
    guard case .skipped? = run.report?.outcome("a/x") else { return XCTFail("\(String(describing: run.report))") }
  }

  func testWhatTheFactoryThrewIsThrownAndALiveNodeIsLeftAsItIs() async throws {
    try await leave(["broken", "d"])
    missing = ["broken"]
    let run = try await run()
    XCTAssertThrowsError(try run.retry(at: .of("broken"))) { error in
      guard case .factory(_, is Broken)? = error as? RestorationError else { return XCTFail("\(error)") }
    }
    let live = try run.screen(PlainScreen.kind, at: .of("d"))
    try run.retry(at: .of("d"))
    XCTAssertTrue(try run.screen(PlainScreen.kind, at: .of("d")) === live)
    XCTAssertThrowsError(try run.retry(at: .of("nowhere")))
    XCTAssertThrowsError(try restoration().retry(at: .of("d")))
  }

  func testANodeThatIsClosedWhileItIsMadeIsTold() async throws {
    try await leave(["a", "a/b"])
    let run = restoration()
    var isThere = false
    try run.definePlain { [unowned run] node in
      if node.path.id == "b" { try run.close(at: .of("a")) }
      return isThere
    }
    try await run.restore()
    isThere = true
    assertThrows(
      "The screen 'a' was not made: it was closed while it was made. Remove the cause, then open the screen again.",
      try run.retry(at: .of("a")))
    try run.save()
    XCTAssertEqual(storage.nodes, [:])
  }

  func testATwoPhaseScreenThatIsAskedForAgainDecodesAndIsToldOnce() async throws {
    var isThere = true
    func launch() async throws -> Restoration {
      let run = restoration()
      try run.define(twoPhase: "note") { _, _ in isThere ? Note("") : nil }
      try await run.restore()
      return run
    }
    try await { () async throws in
      let first = try await launch()
      try first.adopt(Note("typed"), kind: "note", id: "n")
      try first.save()
    }()
    isThere = false
    let again = try await launch()
    isThere = true
    try again.retry(at: .of("n"))
    let note: Note = try XCTUnwrap(try again.screen(at: .of("n")))
    XCTAssertEqual(note.text, "typed")
    XCTAssertEqual(note.decoded, 1)
    XCTAssertEqual(note.finished, 1)
  }
}
