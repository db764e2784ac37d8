import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// The one record of an object that several scenes have: who writes it, reads it and keeps it.
final class SharedRecordTests: SharedObjectTestCase {
  func testAnObjectOfTwoScenesHasOneRecordAndAChangeIsWrittenOnce() async throws {
    let note = Note("first")
    let one = try await launch("one", note)
    try one.open(NoteScreen.kind, id: "a", state: Row())
    try one.save()
    XCTAssertTrue(hasRecord("one"), "one scene keeps it to itself")
    XCTAssertEqual(shared, [:])
    let two = try await launch("two", note)
    try one.save()
    XCTAssertEqual(shared, [:], "the other one does not refer to it yet")
    try two.open(NoteScreen.kind, id: "a", state: Row())
    await endOfTurn()
    XCTAssertEqual(Array(shared.keys), ["/note"])
    XCTAssertFalse(hasRecord("one") || hasRecord("two"))
    let before = storage.scenes
    try one.save()
    try two.save()
    XCTAssertEqual(storage.scenes, before, "nothing has changed")
    note.text = "second"
    two.invalidateState(of: note)
    await endOfTurn()
    XCTAssertNotEqual(shared, before["//objects"])
    XCTAssertFalse(hasRecord("one") || hasRecord("two"))
    one.end()
    two.end()
    let texts = [try await text(in: "one"), try await text(in: "two"), try await text(in: "two", "one")]
    XCTAssertEqual(texts, ["second", "second", "second"])
  }

  func testTheRecordStaysWithWhoeverRefersToItAndGoesWithTheLast() async throws {
    try await leaveShared("kept")
    let note = Note("")
    var one = try await launch("one", note)
    XCTAssertEqual(note.text, "kept")
    try one.close(at: .of("a"))
    try one.save()
    one.end()
    XCTAssertEqual(shared.count, 1, "the other scene, which is not there, refers to it")
    let two = try await launch("two", Note("fresh"))
    try two.close(at: .of("a"))
    try two.save()
    two.end()
    XCTAssertEqual(shared, [:])
    XCTAssertFalse(hasRecord("one") || hasRecord("two"))
    one = try await launch("one", Note("fresh"))
    XCTAssertEqual(try one.open(NoteScreen.kind, id: "b", state: Row()).note.text, "fresh")
  }

  func testWhatASceneWritesAloneTheOtherFindsWhenItComesBack() async throws {
    try await leaveShared("first")
    let note = Note("")
    let two = try await launch("two", note)
    note.text = "second"
    try two.save()
    two.end()
    XCTAssertFalse(hasRecord("two"))
    let text = try await text(in: "one")
    XCTAssertEqual(text, "second")
  }

  func testTheObjectIsDecodedOnceWhateverScenesTakeItUp() async throws {
    try await leaveShared("kept")
    let note = Note("fresh")
    let one = try await launch("one", note)
    note.text = "typed since"
    let two = try await launch("two", note)
    XCTAssertEqual([note.text, "\(note.decoded)"], ["typed since", "1"])
    try one.save()
    try two.save()
    one.end()
    two.end()
    let text = try await text(in: "one")
    XCTAssertEqual(text, "typed since")
  }

  /// As scenes write them that are not live at the same time.
  func testRecordsOfEachSceneAreReadTheNewestWinsAndOneIsLeft() async throws {
    try await leave([("one", "first"), ("two", "first"), ("one", "second"), ("three", "other")])
    XCTAssertTrue(hasRecord("one") && hasRecord("two") && hasRecord("three"))
    storage.scenes["three"]?["/note"] = nil
    for scenes in [["two", "one"], ["one", "two"]] {
      let before = storage.scenes
      let note = Note("fresh")
      var runs: [Restoration] = []
      for scene in scenes { runs.append(try await launch(scene, note)) }
      await endOfTurn()
      XCTAssertEqual(note.text, "second", "\(scenes)")
      XCTAssertEqual(shared.count, 1)
      XCTAssertFalse(hasRecord("one") || hasRecord("two"), "\(scenes)")
      for run in runs { run.end() }
      for scene in ["one", "two"] {
        let text = try await text(in: scene)
        XCTAssertEqual(text, "second")
      }
      storage.scenes = before
    }
  }

  func testADamagedSharedRecordIsToldAndCostsItsStateOnly() async throws {
    try await leaveShared("lost")
    storage.scenes["//objects"]?["/note"]?[9] ^= 1
    let note = Note("fresh")
    let one = try await launch("one", note)
    XCTAssertEqual(note.text, "fresh")
    XCTAssertEqual(one.report?.objects.map(\.outcome), [.corrupt(reason: "its checksum does not match")])
    XCTAssertNotNil(try one.screen(NoteScreen.kind, at: .of("a")))
    one.end()
  }

  func testANodesRecordAmongSharedObjectsIsTold() async throws {
    try await leave(["xnote"])
    try await leaveShared("lost")
    // Format, no scenes, the record.
    let record = [1, 0] + (try XCTUnwrap(storage.records["xnote"]))
    storage.scenes["//objects"] = ["xnote": checksummed(record, key: "xnote")]
    let one = try await launch("one", Note("fresh"))
    XCTAssertEqual(
      one.report?.objects.map(\.outcome),
      [
        .corrupt(
          reason: "the archive has the state of a screen in the place of the object's state")
      ])
    one.end()
  }

  func testAnObjectThatOnlyUnreadNodesReferToIsKept() async throws {
    storage.readsInParts = true
    let note = Note("")
    let (main, two) = (try await launch("main", note), try await launch("two", note))
    try main.definePlain()
    for id in ["a", "b"] {
      try main.openPlain(id)
      try main.open(NoteScreen.kind, id: "note", under: .of(id), state: Row())
    }
    try two.open(NoteScreen.kind, id: "a", state: Row())
    note.text = "kept"
    try main.setVisibleChildren(["a"], of: nil)
    try main.save()
    try two.close(at: .of("a"))
    try two.save()
    main.end()
    two.end()
    let again = try await launch("main", Note("fresh"))
    try again.definePlain()
    try again.close(at: .of("a"))
    try again.save()
    let (former, unread) = (Note("fresh"), try XCTUnwrap(again.report?.unread))
    XCTAssertGreaterThan(unread, 0)
    again.end()
    let third = try await launch("main", former)
    try third.definePlain()
    XCTAssertEqual(try third.screen(NoteScreen.kind, at: .of("b/note"))?.note.text, "kept")
  }

  func testAChangeOfAnObjectThatOnlyUnreadNodesReferToIsWritten() async throws {
    storage.readsInParts = true
    let note = Note("")
    let (main, two) = (try await launch("main", note), try await launch("two", note))
    try main.definePlain()
    for id in ["a", "b"] { try main.openPlain(id) }
    try main.open(NoteScreen.kind, id: "note", under: .of("b"), state: Row())
    try two.open(NoteScreen.kind, id: "a", state: Row())
    note.text = "first"
    try main.setVisibleChildren(["a"], of: nil)
    for run in [main, two] {
      try run.save()
      run.end()
    }
    let again = Note("fresh")
    let run = try await launch("main", again)
    XCTAssertEqual(run.report?.outcome("b"), .deferred)
    _ = try run.open(NoteScreen.kind, id: "c", state: Row())
    try run.close(at: .of("c"))
    again.text = "second"
    try run.save()
    run.end()
    let text = try await text(in: "two")
    XCTAssertEqual(text, "second")
  }

  func testASceneWithTheNameOfTheSharedArchiveMixesNoScreensIntoIt() async throws {
    let run = try await launch("//objects", Note("typed"))
    _ = try run.open(NoteScreen.kind, id: "a", state: Row())
    try run.save()
    run.end()
    XCTAssertNil(storage.scenes["//objects"])
    let again = try await launch("//objects", Note(""))
    XCTAssertEqual(again.report?.outcome("a"), .restored)
    let text = try await text(in: "//objects")
    XCTAssertEqual(text, "typed")
  }
}
