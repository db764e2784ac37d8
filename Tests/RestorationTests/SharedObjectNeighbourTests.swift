import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// Objects that scenes of other processes share, and scenes that are refused or only read.
final class SharedObjectNeighbourTests: SharedObjectTestCase {
  func testWhereAnotherProcessWritesTheSceneKeepsTheStateAndTheNewestWinsLater() async throws {
    try await leaveShared("first")
    storage.scenesElsewhere = ["//objects"]
    let note = Note("fresh")
    let two = try await launch("two", note)
    XCTAssertEqual(note.text, "first", "what another process writes can be read")
    let before = shared
    note.text = "second"
    try two.save()
    XCTAssertEqual(shared, before)
    XCTAssertTrue(hasRecord("two"))
    // It is free again while the scene is there.
    storage.scenesElsewhere = []
    note.text = "third"
    try two.save()
    XCTAssertFalse(hasRecord("two"))
    two.end()
    let text = try await text(in: "one")
    XCTAssertEqual(text, "third")
  }

  func testAStateThatAnotherProcessWroteSinceIsTakenUpByTheLiveObject() async throws {
    try await leaveShared("first")
    let first = storage.scenes["//objects"]
    time += 1_000_000
    let other = Note("")
    let alone = try await launch("two", other)
    other.text = "second"
    try alone.save()
    alone.end()
    let second = storage.scenes["//objects"]
    storage.scenes["//objects"] = first
    storage.scenesElsewhere = ["//objects"]
    let note = Note("fresh")
    let one = try await launch("one", note)
    XCTAssertEqual(note.text, "first")
    storage.scenes["//objects"] = second
    let two = try await launch("two", note)
    XCTAssertEqual(note.text, "second")
    for run in [one, two] {
      try run.save()
      run.end()
    }
    let text = try await text(in: "one")
    XCTAssertEqual(text, "second")
  }

  func testAStateThatASceneHadToKeepIsSharedByItsNextLaunch() async throws {
    try await leaveShared("first")
    storage.scenesElsewhere = ["//objects"]
    let note = Note("fresh")
    let two = try await launch("two", note)
    note.text = "second"
    try two.save()
    two.end()
    storage.scenesElsewhere = []
    let again = try await launch("two", Note("fresh"))
    await endOfTurn()
    again.end()
    XCTAssertFalse(hasRecord("two"))
    let text = try await text(in: "one")
    XCTAssertEqual(text, "second")
  }

  func testARefusedSceneTakesNoSharedStateAndTheOthersKeepIt() async throws {
    try await leaveShared("kept")
    let note = Note("fresh")
    let one = try await launch("one", note) { _ in false }
    XCTAssertEqual(try one.open(NoteScreen.kind, id: "b", state: Row()).note.text, "fresh")
    try one.save()
    one.end()
    let texts = [try await text(in: "one"), try await text(in: "two")]
    XCTAssertEqual(texts, ["fresh", "kept"])
  }

  func testWhatIsRefusedHasTheObjectsThatOnlyTheSharedArchiveHad() async throws {
    try await leaveShared("kept")
    let note = Note("fresh")
    let one = try await launch("one", note) { _ in false }
    let two = try await launch("two", note) { _ in false }
    for run in [one, two] { try run.open(NoteScreen.kind, id: "b", state: Row()) }
    await endOfTurn()
    let record = String(decoding: try XCTUnwrap(shared["/note"]), as: UTF8.self)
    XCTAssertTrue(record.contains("one") && record.contains("two"), "both share it anew")
    one.end()
    two.end()
    for name in ["one", "two"] {
      storage.scenes["former"] = storage.scenes[name + "#refused"]
      let text = try await text(in: "former")
      XCTAssertEqual(text, "kept", name)
    }
    let text = try await text(in: "one")
    XCTAssertEqual(text, "fresh")
  }

  func testARefusedObjectIsSetAsideAsItWasLast() async throws {
    try await leaveShared("first")
    storage.scenesElsewhere = ["//objects"]
    let note = Note("")
    let former = try await launch("two", note)
    note.text = "second"
    try former.save()
    former.end()
    let two = try await launch("two", Note("fresh")) { _ in false }
    try two.open(NoteScreen.kind, id: "b", state: Row())
    await endOfTurn()
    two.end()
    storage.scenes["former"] = storage.scenes["two#refused"]
    let text = try await text(in: "former")
    XCTAssertEqual(text, "second", "what the scene had to keep itself is newer")
  }

  func testASceneThatIsReadOnlyWritesNoSharedRecordAndEndsNobodysClaim() async throws {
    try await leaveShared("first")
    let note = Note("")
    let owner = try await launch("two", note)
    note.text = "second"
    try owner.save()
    let before = shared
    storage.released = []
    storage.scenesElsewhere = ["two"]
    let reader = try await launch("two", Note(""), conflict: .readOnly)
    XCTAssertTrue(reader.isReadOnly)
    XCTAssertEqual(try XCTUnwrap(reader.screen(NoteScreen.kind, at: .of("a"))).note.text, "second")
    try reader.close(at: .of("a"))
    try reader.save()
    await endOfTurn()
    XCTAssertEqual(shared, before)
    reader.end()
    XCTAssertEqual(storage.released, [])
    owner.end()
    XCTAssertEqual(Set(storage.released), ["two", "//objects"])
  }

  func testAnUnregisteredObjectBeginsAnewInItsSceneAndStaysInTheOthers() async throws {
    try await leaveShared("kept")
    let one = try await launch("one", Note(""))
    one.unregister(Note.key)
    let note = Note("fresh")
    try one.register(note, as: Note.key)
    try one.save()
    XCTAssertEqual(note.text, "fresh")
    one.end()
    let texts = [try await text(in: "one"), try await text(in: "two")]
    XCTAssertEqual(texts, ["fresh", "kept"])
  }
}
