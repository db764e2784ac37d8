import RepriseRestoration
import XCTest

/// An object with a state that several scenes have registered: one state for one object.
final class SharedObjectTests: RestorationTestCase {
  private var time: Int64 = 1_000_000_000

  private func launch(_ scene: String, _ note: Note) async throws -> Restoration {
    let run = Restoration(storage: storage, scene: scene, now: { [unowned self] in time })
    try run.register(note, as: Note.key)
    try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try await run.restore()
    return run
  }

  /// One process after the other, in each of which one scene is there.
  private func leave(_ texts: [(scene: String, text: String)]) async throws {
    for (scene, text) in texts {
      let note = Note("")
      let run = try await launch(scene, note)
      if try run.children(of: nil).isEmpty { try run.open(NoteScreen.kind, id: "a", state: Row()) }
      note.text = text
      try run.save()
      time += 1_000_000
    }
    await endOfTurn()
  }

  func testTheNewestStateWinsInWhateverOrderTheScenesComeBack() async throws {
    try await leave([("one", "first"), ("two", "first"), ("one", "second")])
    for scenes in [["one", "two"], ["two", "one"]] {
      let note = Note("fresh")
      var runs: [Restoration] = []
      for scene in scenes { runs.append(try await launch(scene, note)) }
      XCTAssertEqual(note.text, "second", "\(scenes)")
    }
  }

  func testASceneThatComesLaterDoesNotTakeBackWhatWasTypedSince() async throws {
    try await leave([("one", "first"), ("two", "second")])
    let note = Note("fresh")
    let one = try await launch("one", note)
    note.text = "third"
    let two = try await launch("two", note)
    XCTAssertEqual(note.text, "third")
    try one.save()
    try two.save()
    let again = Note("fresh")
    _ = (try await launch("one", again), try await launch("two", again))
    XCTAssertEqual(again.text, "third")
  }

  func testTheNewestStateStaysWhenTheSceneThatWroteItIsClosed() async throws {
    let note = Note("first")
    let (one, two) = (try await launch("one", note), try await launch("two", note))
    let screen = try one.open(NoteScreen.kind, id: "a", state: Row())
    _ = try two.open(NoteScreen.kind, id: "a", state: Row())
    try one.save()
    try two.save()
    note.text = "second"
    one.invalidateState(of: note)
    await endOfTurn()
    screen.node.close()
    await endOfTurn()
    let again = Note("fresh")
    _ = try await launch("two", again)
    XCTAssertEqual(again.text, "second")
  }

  func testTheNewestStateWinsThoughTheClockWentBack() async throws {
    try await leave([("one", "first"), ("two", "first")])
    time -= 1_000_000_000
    let note = Note("fresh")
    let (one, two) = (try await launch("one", note), try await launch("two", note))
    note.text = "second"
    try one.save()
    _ = two
    let again = Note("fresh")
    _ = (try await launch("one", again), try await launch("two", again))
    XCTAssertEqual(again.text, "second")
  }

  func test62ScenesWithObjectsOfTheirOwnUnderOneKeyHaveStatesOfTheirOwn() async throws {
    let (a, b) = (Note("a"), Note("b"))
    for (scene, note) in [("one", a), ("two", b)] {
      let run = try await launch(scene, note)
      _ = try run.open(NoteScreen.kind, id: "a", state: Row())
      try run.save()
    }
    let (c, d) = (Note(""), Note(""))
    _ = (try await launch("two", d), try await launch("one", c))
    XCTAssertEqual([c.text, d.text], ["a", "b"])
  }
}
