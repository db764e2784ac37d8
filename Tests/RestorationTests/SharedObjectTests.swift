import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// An object with a state that several scenes have registered: one state for one object.
final class SharedObjectTests: RestorationTestCase {
  private var time: Int64 = 1_000_000_000

  private func launch(
    _ scene: String, _ note: Note, conflict: SceneConflict = .refuse,
    _ shouldRestore: (ArchiveInfo) -> Bool = { _ in true }
  ) async throws -> Restoration {
    let run = Restoration(storage: storage, scene: scene, now: { [unowned self] in time })
    run.sceneConflict = conflict
    try run.register(note, as: Note.key)
    try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try await run.restore(shouldRestore: shouldRestore)
    return run
  }

  /// The text that the object has in a launch with these scenes.
  private func text(in scenes: String...) async throws -> String {
    let note = Note("fresh")
    var runs: [Restoration] = []
    for scene in scenes { runs.append(try await launch(scene, note)) }
    for run in runs { run.end() }
    return note.text
  }

  private var shared: [String: [UInt8]] { storage.scenes["//objects"] ?? [:] }
  private func hasRecord(_ scene: String) -> Bool { storage.scenes[scene]?["/note"] != nil }

  /// Two scenes with one object, as an earlier process left them.
  private func leaveShared(_ text: String) async throws {
    let note = Note("")
    let (one, two) = (try await launch("one", note), try await launch("two", note))
    for run in [one, two] { try run.open(NoteScreen.kind, id: "a", state: Row()) }
    note.text = text
    try one.save()
    try two.save()
    await endOfTurn()
    one.end()
    two.end()
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

  // MARK: One record

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

  /// Archives as they were before there was a shared one.
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

  /// Storms found it: the state of the scene that came second was as new as its coming.
  func testAStateThatIsTakenUpIsAsOldAsItWasInTheOtherScenesToo() async throws {
    storage.scenesElsewhere = ["//objects"]
    try await leave([("one", "first"), ("two", "second"), ("three", "third")])
    let note = Note("fresh")
    var runs: [Restoration] = []
    for scene in ["one", "two"] { runs.append(try await launch(scene, note)) }
    XCTAssertEqual(note.text, "second")
    for run in runs { try run.save() }
    runs.append(try await launch("three", note))
    XCTAssertEqual(note.text, "third")
    for run in runs {
      try run.save()
      run.end()
    }
    for scene in ["one", "two", "three"] {
      let text = try await text(in: scene)
      XCTAssertEqual(text, "third")
    }
    // What is set is newer than all, whenever it was taken up.
    let last = try await launch("one", note)
    note.text = "fourth"
    let other = try await launch("two", note)
    XCTAssertEqual(note.text, "fourth")
    withExtendedLifetime((last, other)) {}
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

  func testAStateThatIsAgainWhatItWasAtFirstIsTheNewest() async throws {
    try await leaveShared("first")
    let note = Note("")
    let one = try await launch("one", note)
    for text in ["second", "first"] {
      time += 1_000_000
      note.text = text
      try one.save()
    }
    one.end()
    let text = try await text(in: "two")
    XCTAssertEqual(text, "first")
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

  func test62ObjectsOfTheirOwnUnderAKeyThatWasSharedHaveStatesOfTheirOwn() async throws {
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

  func test62AnObjectOfItsOwnDoesNotTouchTheOneThatOthersShare() async throws {
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

  func testNoSceneHasTheNameOfTheSharedArchive() async throws {
    do {
      _ = try await launch("//objects", Note(""))
      XCTFail("it would mix screens into it")
    } catch RestorationError.invalidID("//objects", _) {}
  }

  /// Launches with some of the scenes, edits and kills, against what was typed last.
  func testInRandomLaunchesOfSomeScenesTheObjectIsAlwaysAsItWasLast() async throws {
    let names = ["one", "two", "three", "four"]
    for seed in testSeeds(40) {
      var generator = RepriseTestSeeds.SeededGenerator(seed: seed)
      storage.scenes = [:]
      try await leaveShared("start")
      var (last, members) = ("start", Set(["one", "two"]))
      for launch in 0..<20 {
        let place = "seed \(seed), launch \(launch)"
        let note = Note("fresh")
        var runs: [(name: String, run: Restoration)] = []
        for name in names.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)) {
          runs.append((name, try await self.launch(name, note)))
        }
        for step in 0..<Int.random(in: 0...6, using: &generator) {
          guard let (name, run) = runs.randomElement(using: &generator) else { continue }
          switch Int.random(in: 0..<6, using: &generator) {
          case 0:
            // Alone it would have an object of its own.
            guard !members.contains(name), runs.contains(where: { members.contains($0.name) }) else { continue }
            try run.open(NoteScreen.kind, id: "a", state: Row())
            members.insert(name)
          case 1:
            guard members.contains(name), members.count > 1 else { continue }
            try run.close(at: .of("a"))
            try run.save()
            members.remove(name)
          case 2, 3:
            guard members.contains(name) else { continue }
            last = "\(launch).\(step)"
            note.text = last
            run.invalidateState(of: note)
          case 4: await endOfTurn()
          default: try run.save()
          }
        }
        if runs.contains(where: { members.contains($0.name) }) { XCTAssertEqual(note.text, last, place) }
        await endOfTurn()
        XCTAssertEqual(shared.count, 1, place)
        for name in names { XCTAssertFalse(hasRecord(name), "\(place), \(name)") }
        for (_, run) in runs { run.end() }
      }
    }
  }
}
