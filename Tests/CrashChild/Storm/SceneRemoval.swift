import RepriseEventStore
import RepriseRestoration

/// Removes a scene that nobody shows, of a window that is not wanted back.
@MainActor struct SceneRemoval {
  private let name: String
  private let store: Store
  private let process: StormProcess

  init(_ name: String, _ store: Store, _ process: StormProcess) {
    self.name = name
    self.store = store
    self.process = process
  }

  /// - Parameter draft: Has edits that must outlive the scene.
  func remove(leaving draft: String?) async throws {
    process.voice("try \(name)")
    process.voice("removing nodes/\(name)")
    do {
      // A mistake that a test must find out.
      if process.canary != "undead" { try Restoration.removeScene(name, in: store) }
    } catch RestorationError.sceneInUse {
      process.voice("refused \(name)")
      return process.voice("kept nodes/\(name)")
    }
    try store.journal.write()
    process.voice("removed nodes/\(name)")
    process.voice("leaving \(name)")
    guard let draft else { return }
    if try store.drafts.all().first(where: { $0.id == draft })?.objects.isEmpty ?? true {
      process.voice.problem("\(name): the draft \(draft) went with the scene")
    }
    try store.drafts.discard(draft)
  }
}
