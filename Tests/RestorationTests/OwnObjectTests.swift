import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// Scenes with objects of their own under a key that others share.
final class OwnObjectTests: SharedObjectTestCase {
  func testScenesWithObjectsOfTheirOwnUnderOneKeyHaveStatesOfTheirOwn() async throws {
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

  /// Two windows of a document are closed; a new one is another document's, under the same key.
  func testANewSceneWithAnObjectOfItsOwnBeginsAfreshAndLeavesTheSharedOneAlone() async throws {
    try await leaveShared("kept")
    let note = Note("fresh")
    let three = try await launch("three", note)
    try three.open(NoteScreen.kind, id: "a", state: Row())
    XCTAssertEqual(note.text, "fresh")
    note.text = "its own"
    try three.save()
    XCTAssertTrue(hasRecord("three"))
    three.end()
    let texts = [try await text(in: "one", "two"), try await text(in: "three")]
    XCTAssertEqual(texts, ["kept", "its own"])
  }

  func testNewScenesThatShareAnotherObjectLeaveTheSharedOneAlone() async throws {
    try await leaveShared("kept")
    let note = Note("fresh")
    let (three, four) = (try await launch("three", note), try await launch("four", note))
    for run in [three, four] { try run.open(NoteScreen.kind, id: "a", state: Row()) }
    note.text = "theirs"
    for run in [three, four] { try run.save() }
    await endOfTurn()
    for run in [three, four] { run.end() }
    let texts = [try await text(in: "one"), try await text(in: "two", "one")]
    XCTAssertEqual(texts, ["kept", "kept"])
    let theirs = [try await text(in: "three"), try await text(in: "four"), try await text(in: "four", "three")]
    XCTAssertEqual(theirs, ["theirs", "theirs", "theirs"])
  }

  func testASceneThatComesBackAfterANewOneBringsTheirObjectsStateBack() async throws {
    try await leaveShared("kept")
    let note = Note("fresh")
    let three = try await launch("three", note)
    try three.open(NoteScreen.kind, id: "a", state: Row())
    await endOfTurn()
    let one = try await launch("one", note)
    XCTAssertEqual(note.text, "kept")
    await endOfTurn()
    XCTAssertFalse(hasRecord("one") || hasRecord("three"), "they share it from here on")
    one.end()
    three.end()
    let texts = [try await text(in: "three"), try await text(in: "two")]
    XCTAssertEqual(texts, ["kept", "kept"])
  }

  func testObjectsOfTheirOwnUnderAKeyThatWasSharedHaveStatesOfTheirOwn() async throws {
    try await leaveShared("both")
    let (a, b) = (Note(""), Note(""))
    let (one, two) = (try await launch("one", a), try await launch("two", b))
    XCTAssertEqual([a.text, b.text], ["both", "both"])
    for (run, note, text) in [(one, a, "a"), (two, b, "b")] {
      note.text = text
      try run.save()
    }
    one.end()
    two.end()
    let texts = [try await text(in: "one"), try await text(in: "two")]
    XCTAssertEqual(texts, ["a", "b"])
  }

  func testAnObjectOfItsOwnDoesNotTouchTheOneThatOthersShare() async throws {
    try await leaveShared("both")
    let three = try await launch("three", Note(""))
    try three.open(NoteScreen.kind, id: "a", state: Row())
    try three.save()
    three.end()
    let (a, b) = (Note(""), Note(""))
    let (one, two) = (try await launch("one", a), try await launch("two", a))
    let own = try await launch("three", b)
    b.text = "its own"
    try own.save()
    await endOfTurn()
    for run in [one, two, own] { run.end() }
    let texts = [try await text(in: "one"), try await text(in: "two"), try await text(in: "three")]
    XCTAssertEqual(texts, ["both", "both", "its own"])
  }
}
