import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// Launches of scenes that have a note in common.
class SharedObjectTestCase: RestorationTestCase {
  var time: Int64 = 1_000_000_000

  func launch(
    _ scene: String, _ note: Note, conflict: SceneConflictPolicy = .refuse,
    _ shouldRestore: (ArchiveInfo) -> Bool = { _ in true }
  ) async throws -> Restoration {
    let run = Restoration(storage: storage, scene: scene, now: { [unowned self] in time })
    run.sceneConflictPolicy = conflict
    try run.register(note, as: Note.key)
    try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try await run.restore(shouldRestore: shouldRestore)
    return run
  }

  /// The text that the object has in a launch with these scenes.
  func text(in scenes: String...) async throws -> String {
    let note = Note("fresh")
    var runs: [Restoration] = []
    for scene in scenes { runs.append(try await launch(scene, note)) }
    for run in runs { run.end() }
    return note.text
  }

  var shared: [String: [UInt8]] { storage.scenes["//objects"] ?? [:] }
  func hasRecord(_ scene: String) -> Bool { storage.scenes[scene]?["/note"] != nil }

  /// Two scenes with one object, as an earlier process left them.
  func leaveShared(_ text: String) async throws {
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
  func leave(_ texts: [(scene: String, text: String)]) async throws {
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
}
