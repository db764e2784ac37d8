import RepriseCore
import RepriseRestoration
import RepriseTesting
import XCTest

/// Links of an archive that lead to themselves, or two to one place: only what is damaged or forged has such.
final class ForgedLinkTests: RestorationTestCase {
  @MainActor final class Card: @MainActor RestorableScreen {
    var other: Card?
    func encodeRestorableState(with coder: RestorationEncoder) {
      if let other { coder.encodeReference(to: other, forKey: "other") }
    }
    func decodeRestorableState(with coder: RestorationDecoder) throws {
      other = coder.decodeObject(forKey: "other") as? Card
    }
  }

  private func cards() async throws -> Restoration {
    let run = restoration()
    try run.define(twoPhase: "card") { _, _ in Card() }
    try await run.restore()
    return run
  }

  private func card(_ id: String, _ run: Restoration) throws -> Card { try XCTUnwrap(try run.screen(at: .of(id))) }

  func testAScreenThatRefersToItselfIsRestoredOnceAndFindsItself() async throws {
    let first = try await cards()
    let one: Card = try first.open("card", id: "one")
    one.other = one
    try first.save()
    one.other = nil
    let again = try await cards()
    let back = try card("one", again)
    XCTAssertTrue(back.other === back)
    XCTAssertEqual(again.report?.damage, [])
    back.other = nil
  }

  func testTwoNodesWithOneIdentityAreToldAndNoReferenceLeadsToAStranger() async throws {
    let first = try await cards()
    for id in ["one", "two", "three"] { let _: Card = try first.open("card", id: id) }
    try card("three", first).other = try card("one", first)
    try first.save()
    // The record of "one", under the key of "two" with its own checksum.
    let record = try XCTUnwrap(storage.records["one"])
    storage.records["two"] = checksummed(Array(record.dropFirst(4)), key: "two")
    let again = try await cards()
    XCTAssertEqual(again.report?.entries.map(\.outcome), [.restored, .restored, .restored])
    XCTAssertNil(try card("three", again).other)
    XCTAssertEqual(
      again.report?.damage,
      [
        "The screens 'one' and 'two' have the same identity in the archive, so references to them are nil. Close both "
          + "screens and open them again."
      ])
  }

  func testAContextThatStandsUnderItselfIsCorrupt() async throws {
    let run = restoration()
    try run.register(MemoryContext(storage), as: Keys.root)
    try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
      EditorScreen($0, $1)
    }
    try run.define(EditorScreen.nested, needs: .ownContext(under: .nearestAncestorNode)) { EditorScreen($0, $1) }
    try await run.restore()
    try run.open(EditorScreen.kind, id: "a", state: Row())
    try run.open(EditorScreen.nested, id: "b", under: .of("a"), state: Row())
    try run.save()
    await endOfTurn()
    // Flags, kind, order, number of needs, the context's draft, its parent "a".
    var body = Array(try XCTUnwrap(storage.records["a/b"]).dropFirst(4))
    let parent = try XCTUnwrap(body.indices.dropLast().last { body[$0] == 1 && body[$0 + 1] == UInt8(ascii: "a") })
    body.replaceSubrange(parent...parent + 1, with: [3] + Array("a/b".utf8))
    storage.records["a/b"] = checksummed(body, key: "a/b")
    let again = restoration()
    try again.register(MemoryContext(storage), as: Keys.root)
    try again.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
      EditorScreen($0, $1)
    }
    try again.define(EditorScreen.nested, needs: .ownContext(under: .nearestAncestorNode)) { EditorScreen($0, $1) }
    let report = try await again.restore()
    XCTAssertEqual(report.outcome("a"), .restored)
    XCTAssertEqual(
      report.outcome("a/b"),
      .corrupt(reason: "its context is a child of the context of 'a/b', which is not an ancestor of the screen"))
  }

  func testTwoNodesWithOneDraftDoNotShareItAndThatIsTold() async throws {
    func launch() async throws -> Restoration {
      let run = restoration()
      try run.register(MemoryContext(storage), as: Keys.root)
      try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
        EditorScreen($0, $1)
      }
      try await run.restore()
      return run
    }
    let first = try await launch()
    try first.open(EditorScreen.kind, id: "a", state: Row()).context.edit("typed")
    try first.open(EditorScreen.kind, id: "b", state: Row())
    // Its record now names its draft, which is not that of its path.
    try first.screen(EditorScreen.kind, at: .of("a"))?.node.move(id: "c", under: nil)
    try first.save()
    await endOfTurn()
    let record = try XCTUnwrap(storage.records["c"])
    storage.records["b"] = checksummed(Array(record.dropFirst(4)), key: "b")
    let again = try await launch()
    let screens = try ["b", "c"].map { try XCTUnwrap(try again.screen(EditorScreen.kind, at: .of($0))) }
    XCTAssertFalse(screens[0].context === screens[1].context)
    XCTAssertEqual(screens.map(\.context.edits).filter { $0 == ["typed"] }.count, 1)
    XCTAssertEqual(
      again.report?.damage,
      ["The draft 'a' of the screen 'c' is in use by another open screen, so this screen has a new draft."])
  }

  func testANeedThatIsNamedTwiceIsCountedOnce() async throws {
    try await leave(["a"])
    var body = Array(try XCTUnwrap(storage.records["a"]).dropFirst(4))
    // Format, flags, "plain" sized, order, number of needs.
    let shelf = [5] + Array("shelf".utf8)
    body.replaceSubrange(9...9, with: [2] + shelf + shelf)
    storage.records["a"] = checksummed(body, key: "a")
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    XCTAssertEqual(run.report?.outcome("a"), .restored)
    try run.screen(PlainScreen.kind, at: .of("a"))?.node.state.row = 7
    try run.save()
    XCTAssertEqual(Array(try XCTUnwrap(storage.records["a"])[4...12]), Array(body[..<9]))
  }

  func testAContainerThatShowsOneChildTwiceMakesItOnce() async throws {
    try await leave(["tabs", "tabs/a", "tabs/b"])
    let first = restoration()
    try first.definePlain()
    try await first.restore()
    try first.setVisibleChildren(["a", "a", "tabs"], of: .of("tabs"))
    try first.save()
    await endOfTurn()
    var made: [String] = []
    let again = restoration()
    try again.definePlain {
      made.append($0.path.text)
      return true
    }
    try await again.restore()
    XCTAssertEqual(made, ["tabs", "tabs/a"])
  }
}
