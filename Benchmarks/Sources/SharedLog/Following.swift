import Reprise
import RepriseSharing
import RepriseTesting

/// A server that begins with an old seed. The log is in memory, so the figures are those of the library.
struct Following {
  private let servers: Servers

  init(_ servers: Servers) { self.servers = servers }

  func run(transactions: Int) async throws {
    let one = try await servers.open()
    let old = servers.newPath()
    try await one.save(0..<1_000)
    try await StoreMaintenance.makeSeed(of: one.store, at: old)
    // 50 tasks at a time, so that packets have several transactions.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<50 {
        group.addTask {
          for round in 0..<transactions / 50 {
            let first = 1_000 + (task * (transactions / 50) + round) * 5
            try await one.save(first..<first + 5)
          }
        }
      }
      try await group.waitForAll()
    }
    let head = try one.store.log.head
    var opened: Duration = .zero
    let caughtUp = try await timed {
      let start = ContinuousClock.now
      let two = try await servers.open(old)
      opened = .now - start
      try await servers.wait(for: two, toReach: head)
      try await two.store.close()
    }
    row("opening with an old seed", milliseconds(opened), target: "10 ms")
    row(
      "following \(transactions) transactions of 5 events",
      "\(milliseconds(caughtUp)), \(Int(Double(transactions) / (caughtUp / .seconds(1)))) /s",
      target: "20,000 /s, 5 s for 100,000")
    try await one.store.close()
  }
}
