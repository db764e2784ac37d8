import RepriseEventStore
import RepriseObjectGraph

/// Types at a desk, with nobody telling the journal to write; leaves it, to whoever comes, and goes to another one.
@MainActor struct Typist {
  private let process: StormProcess
  private let store: Store

  init(_ process: StormProcess) throws {
    self.process = process
    store = try process.open()
  }

  func run() async throws {
    while !process.chance(10) {
      let number = Int.random(in: 0..<StormCells.desks, using: &process.random)
      process.voice("try desk\(number)")
      guard let desk = try Desk(number, store, process) else {
        await process.refused("desk\(number)")
        continue
      }
      try desk.lookAround()
      for _ in 0..<Int.random(in: 1...300, using: &process.random) {
        try await desk.step()
        if process.chance(3) { await process.sleep(milliseconds: 0...8) }
        if process.chance(40) { await process.sleep(milliseconds: 100...400) }
      }
      if process.chance(3) { try desk.keep() }
      process.voice("leaving desk\(number)")
    }
    if process.chance(2) { try await store.close() }
  }
}
