import RepriseRestoration
import XCTest

/// What a move keeps: paths that can be, references, and the order of siblings.
final class MoveTests: RestorationTestCase {
  private func restored() async throws -> Restoration {
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    return run
  }

  private func node(_ run: Restoration, _ path: String) throws -> RestorationNode<Row> {
    try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of(path)), path).node
  }

  // MARK: Paths

  func testAMoveThatMakesThePathOfADescendantTooLongIsRefusedAndMovesNothing() async throws {
    let long = String(repeating: "x", count: 1_900)
    let deep = String(repeating: "y", count: 1_000)
    try await leave(["top", "top/\(long)", "sub", "sub/\(long)", "sub/\(long)/\(deep)"])
    let before = storage.nodes
    let run = try await restored()
    XCTAssertThrowsError(try node(run, "sub").move(under: .of("top/\(long)"))) { error in
      guard case .impossibleMove(let path, _)? = error as? RestorationError else { return XCTFail("\(error)") }
      XCTAssertEqual(path.id, deep)
    }
    try run.save()
    XCTAssertEqual(storage.nodes, before)
    XCTAssertEqual(try node(run, "sub/\(long)/\(deep)").path.id, deep)
    let next = try await restored()
    XCTAssertEqual(next.report?.entries.map(\.outcome), Array(repeating: .restored, count: 5))
  }
}
