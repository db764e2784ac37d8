import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// An object with a state that several scenes have registered: one state for one object, the newest one.
final class SharedObjectTests: SharedObjectTestCase {
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
        let own = Set(names.filter(hasRecord))
        // A scene has the record to itself if it was opened just before the last other one was closed.
        if shared.isEmpty, members.count == 1 {
          XCTAssertEqual(own, members, place)
        } else {
          XCTAssertEqual(shared.count, 1, place)
          XCTAssertEqual(own, [], place)
        }
        for (_, run) in runs { run.end() }
      }
    }
  }
}
