import RepriseEventStore
import RepriseObjectGraph

/// Shows a scene whose nodes are opened, moved and closed, and typed in; leaves it, to whoever comes, and goes to
/// another one.
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
      let number = Int.random(in: 0..<StormCells.scenes, using: &process.random)
      process.voice("try scene\(number)")
      guard let scene = try await Scene(number, store, process) else {
        await process.refused("scene\(number)")
        continue
      }
      try scene.lookAround()
      for _ in 0..<Int.random(in: 1...200, using: &process.random) {
        try await scene.step()
        if process.chance(4) { await process.sleep(milliseconds: 0...10) }
      }
      process.voice("leaving scene\(number)")
      await scene.leave()
    }
    if process.chance(2) { try await store.close() }
  }
}
