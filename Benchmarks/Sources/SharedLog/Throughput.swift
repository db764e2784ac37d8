import Reprise
import RepriseSharing
import Synchronization

/// Servers that save as fast as they can.
struct Throughput {
  private let servers: Servers
  private let one: Servers.Server

  init(_ servers: Servers, _ one: Servers.Server) { (self.servers, self.one) = (servers, one) }

  func run(seconds: Int) async throws {
    let alone = try await saves(of: [one], tasks: 1, seconds: seconds)
    row("one server, one save at a time", "\(alone[0].count / seconds) saves/s", target: "")
    let all = [one, try await servers.open(from: one), try await servers.open(from: one)]
    let together = try await saves(of: all, tasks: 1, seconds: seconds)
    let counts = together.map(\.count)
    let sum = counts.reduce(0, +)
    let share = Double(counts.min() ?? 0) / Double(max(1, sum)) * 100
    row(
      "three servers, one at a time each",
      "\(sum / seconds) saves/s, \(sum * 100 / max(1, alone[0].count)) % of one",
      target: "at least 80 %")
    row("the slowest of the three", "\(Int(share)) % of all saves", target: "at least 20 %")
    row("the worst save of the three", milliseconds(together.joined().max() ?? .zero), target: "250 ms")
    let races = all.map { $0.store.sharing?.status.lostRaces ?? 0 }
    row("lost races", "\(races)", target: "")
    for server in all.dropFirst() { try await server.store.close() }
    let packed = try await saves(of: [one], tasks: 512, seconds: seconds)
    row("one server, 512 tasks, packed", "\(packed[0].count / seconds) saves/s", target: "10,000 saves/s")
  }

  /// The durations of the saves of each server.
  private func saves(of servers: [Servers.Server], tasks: Int, seconds: Int) async throws -> [[Duration]] {
    let times = servers.map { _ in Times() }
    let end = ContinuousClock.now + .seconds(seconds)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (server, times) in zip(servers, times) {
        for task in 0..<tasks {
          group.addTask {
            var number = task * 1_000_000
            while .now < end {
              number += 1
              let next = number
              times.add(try await timed { try await server.save(next..<next + 1) })
            }
          }
        }
      }
      try await group.waitForAll()
    }
    return times.map(\.all)
  }
}

private final class Times: Sendable {
  private let state = Mutex<[Duration]>([])
  func add(_ time: Duration) { state.withLock { $0.append(time) } }
  var all: [Duration] { state.withLock { $0 } }
}
