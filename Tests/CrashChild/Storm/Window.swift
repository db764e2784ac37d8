import RepriseEventStore
import RepriseObjectGraph

/// Shows one or two scenes whose nodes are opened, moved, handed over and closed, and typed in; leaves them, to whoever
/// comes or asks for them, or removes them, and goes to others.
@MainActor struct Window {
  private let process: StormProcess
  private let store: Store

  init(_ process: StormProcess) throws {
    self.process = process
    // However slow the machine is, what one turn did stands in one frame.
    store = try process.open(turnLimit: 60_000_000_000)
  }

  func run() async throws {
    while !process.chance(10) {
      var scenes: [Scene] = []
      for number in (0..<StormCells.scenes).shuffled(using: &process.random).prefix(process.chance(2) ? 1 : 2) {
        process.voice("try scene\(number)")
        if let scene = try await Scene(number, store, process) {
          scenes.append(scene)
        } else {
          await process.refused("scene\(number)")
          if process.chance(2) { try await Onlooker(number, store, process).look() }
        }
      }
      // Sometimes nobody looks: what is not visible is left as it was.
      if !process.chance(8) { try await use(scenes) }
      for scene in scenes { if process.chance(6) { try await scene.remove() } else { await scene.leave() } }
    }
    if process.chance(2) { try await store.close() }
  }

  private func use(_ scenes: [Scene]) async throws {
    for scene in scenes where !scene.isGone { try scene.lookAround() }
    for _ in 0..<Int.random(in: 1...200, using: &process.random) {
      try await scenes.filter { !$0.isGone }.randomElement(using: &process.random)?.step()
      if process.chance(4) { await process.sleep(milliseconds: 0...10) }
    }
  }
}
