import RepriseEventStore
import RepriseRestoration
import XCTest

/// A node's own context is no other node's.
final class SeparateContextTests: RestorationTestCase {
  private func editors(_ root: MemoryContext, scene: String = "main") async throws -> Restoration {
    let run = Restoration(storage: storage, scene: scene)
    try run.register(root, as: Keys.root)
    try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
      EditorScreen($0, $1)
    }
    try await run.restore()
    return run
  }

  @discardableResult
  private func open(_ run: Restoration, resumingDraft: Bool = false) throws -> EditorScreen {
    try run.open(EditorScreen.kind, id: "editor", state: Row(), resumingDraft: resumingDraft)
  }

  func testCancelInOneWindowLeavesWhatWasTypedInAnother() async throws {
    let root = MemoryContext(storage)
    let (one, two) = (try await editors(root, scene: "one"), try await editors(root, scene: "two"))
    let (first, second) = (try open(one), try open(two))
    XCTAssertFalse(first.context === second.context)
    first.context.edit("typed in window one")
    second.context.discard()
    XCTAssertEqual(first.context.edits, ["typed in window one"])
    // Not even if the other asks for what was left there: it was not left.
    let third = try await editors(root, scene: "three")
    XCTAssertFalse(try open(third, resumingDraft: true).context === first.context)
    try one.save()
    try two.save()

    let again = MemoryContext(storage)
    let (three, four) = (try await editors(again, scene: "one"), try await editors(again, scene: "two"))
    XCTAssertEqual(try three.screen(EditorScreen.kind, at: .of("editor"))?.context.edits, ["typed in window one"])
    XCTAssertEqual(try four.screen(EditorScreen.kind, at: .of("editor"))?.context.edits, [])
  }

  func testAWindowGetsNoContextOfOneThatIsNotOpen() async throws {
    let launches = [MemoryContext(storage), MemoryContext(storage), MemoryContext(storage)]
    let one = try await editors(launches[0], scene: "one")
    try open(one)
    let typed = try one.open(EditorScreen.kind, id: "other", state: Row())
    typed.context.edit("typed in window one")
    try one.save()

    let two = try await editors(launches[1], scene: "two")
    try open(two).context.edit("typed in window two")
    let left = try two.open(EditorScreen.kind, id: "other", state: Row(), resumingDraft: true)
    XCTAssertEqual(left.context.edits, [], "it was not left: its window may come back")
    left.context.discard()
    try two.save()

    let (again, other) = (try await editors(launches[2], scene: "one"), try await editors(launches[2], scene: "two"))
    XCTAssertEqual(try again.screen(EditorScreen.kind, at: .of("editor"))?.context.edits, [])
    XCTAssertEqual(try again.screen(EditorScreen.kind, at: .of("other"))?.context.edits, ["typed in window one"])
    XCTAssertEqual(try other.screen(EditorScreen.kind, at: .of("editor"))?.context.edits, ["typed in window two"])
  }

  func testANodeAtTheFormerPathOfAMovedOneHasAContextOfItsOwn() async throws {
    let run = try await editors(MemoryContext(storage))
    let first = try open(run)
    try first.node.move(id: "pinned", under: nil)
    let second = try open(run)
    XCTAssertFalse(first.context === second.context)
    first.context.edit("typed")
    second.context.discard()
    XCTAssertEqual(first.context.edits, ["typed"])
  }

  /// What older versions of the library left: one draft, named by two scenes.
  func testOfTwoNodesOfOneDraftTheFirstGetsItAndTheOtherAContextOfItsOwn() async throws {
    do {
      let one = try await editors(MemoryContext(storage), scene: "one")
      try open(one).context.edit("typed")
      try one.save()
    }
    storage.scenes["two"] = storage.scenes["one"]
    let root = MemoryContext(storage)
    let (one, two) = (try await editors(root, scene: "one"), try await editors(root, scene: "two"))
    let first = try XCTUnwrap(try one.screen(EditorScreen.kind, at: .of("editor")))
    let second = try XCTUnwrap(try two.screen(EditorScreen.kind, at: .of("editor")))
    XCTAssertFalse(first.context === second.context)
    XCTAssertEqual(first.context.edits, ["typed"])
    XCTAssertEqual(second.context.edits, [])
    second.context.edit("mine")
    try two.save()
    let later = try await editors(MemoryContext(storage), scene: "two")
    XCTAssertEqual(try later.screen(EditorScreen.kind, at: .of("editor"))?.context.edits, ["mine"])
  }

  func testAContextThatTheProgramMadeIsNotGivenToANewNode() async throws {
    let root = MemoryContext(storage)
    let own = try root.makeOwnContext(draft: "editor")
    let run = try await editors(root)
    XCTAssertFalse(try open(run).context === own)
  }

  func testANewOwnerTakesOverTheContextOfTheFormerOneIfItAsksForTheDraft() async throws {
    let run = try await editors(MemoryContext(storage))
    let old = try open(run)
    old.context.edit("typed")
    let new = try run.handOver {
      let new = try open(run, resumingDraft: true)
      old.node.close()
      return new
    }
    XCTAssertTrue(new.context === old.context)
    // A takeover that is undone gives it back.
    XCTAssertThrowsError(try run.handOver { try open(run, resumingDraft: true) })
    try new.node.move(id: "moved", under: nil)
    XCTAssertFalse(try open(run, resumingDraft: true).context === new.context)
  }

  func testANewOwnerTakesOverTheContextOfAFormerOneThatWasMovedThere() async throws {
    let run = try await editors(MemoryContext(storage))
    let old = try open(run)
    old.context.edit("typed")
    try old.node.move(id: "moved", under: nil)
    let new = try run.handOver {
      let new = try run.open(EditorScreen.kind, id: "moved", state: Row(), resumingDraft: true)
      old.node.close()
      return new
    }
    XCTAssertTrue(new.context === old.context)
    new.node.close()
    XCTAssertEqual(
      try run.open(EditorScreen.kind, id: "moved", state: Row(), resumingDraft: true).context.edits, ["typed"])
  }
}
