import Foundation
import XCTest

/// Server processes that share a graph lose, double or reorder a save, or stop following. `REPRISE_FAILOVERS` repeats
/// each test, for example 100 times.
final class PostgreSQLProcessTests: XCTestCase {
  private func repeating(
    _ name: String, over makeNetwork: () throws -> ServerNetwork? = { nil }, _ fail: (ServerFleet) async throws -> Void
  ) async throws {
    let rounds = ProcessInfo.processInfo.environment["REPRISE_FAILOVERS"].flatMap { Int($0) } ?? 1
    for round in 0..<rounds {
      let fleet = try await ServerFleet.begin(try makeNetwork())
      try await fleet.waitForSaves(20)
      try await fail(fleet)
      try await fleet.waitForSaves(20)
      print("\(name) \(round): \(try await fleet.check("\(name) \(round)"))")
    }
  }

  func testProcessesLoseNoSaveWithTheirPrimary() async throws {
    try await repeating("kill") { fleet in
      let pair = fleet.pair
      pair.primary.kill()
      try pair.promote()
      try pair.rebuild()
      try await fleet.waitForSaves(20)
      // The standby gets the last commits, and their answers are lost.
      pair.standby.signal(SIGSTOP)
      try pair.waitForBlockedSaves()
      pair.primary.kill()
      try await fleet.waitForGivingUp(of: "a")
      pair.standby.signal(SIGCONT)
      try pair.promote()
      try pair.rebuild()
    }
  }

  func testALonePrimaryConfirmsNoSaveOfAProcess() async throws {
    try await repeating("alone") { fleet in
      let pair = fleet.pair
      pair.standby.kill()
      // The standby may have the commits that wait at the first restart. It lacks the ones that wait at the second.
      for _ in 0..<2 {
        try pair.waitForBlockedSaves()
        pair.primary.kill()
        try pair.primary.start()
      }
      try pair.waitForBlockedSaves()
      try await fleet.waitForGivingUp(of: "a")
      pair.primary.kill()
      try pair.standby.start()
      try pair.promote()
      try pair.rebuild()
    }
  }

  /// Stopped processes look like slow machines. Somebody also ends the waits for a standby that is slow.
  func testStoppedProcessesLoseNoSave() async throws {
    try await repeating("stop") { fleet in
      let pair = fleet.pair
      try fleet.program("b").signal(SIGSTOP)
      try await fleet.waitForSaves(50, of: ["a", "c", "d"])
      try fleet.program("b").signal(SIGCONT)
      try await fleet.waitForSaves(20)
      pair.primary.signal(SIGSTOP)
      try await fleet.waitForGivingUp(of: "a")
      pair.primary.signal(SIGCONT)
      try await fleet.waitForSaves(20)
      pair.standby.signal(SIGSTOP)
      for round in 0..<4 {
        try pair.waitForBlockedSaves()
        try pair.endBlockedSaves(round.isMultiple(of: 2) ? "pg_cancel_backend" : "pg_terminate_backend")
      }
      pair.standby.signal(SIGCONT)
    }
  }

  func testAKilledProcessKeepsItsSaves() async throws {
    try await repeating("program") { fleet in
      for _ in 0..<3 {
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<200)))
        try fleet.kill("b")
        try await fleet.waitForSaves(20)
        try fleet.launch("b")
        try await fleet.waitForSaves(20)
      }
      let (follower, other) = try await fleet.pairOfAStore()
      try fleet.kill(follower)
      try await fleet.waitForFollower(other)
      try await fleet.waitForSaves(20)
      try fleet.launch(follower)
    }
  }

  private func makeNetwork() throws -> ServerNetwork {
    guard getuid() == 0 else { throw XCTSkip("only root can make network namespaces") }
    do { return try ServerNetwork() } catch { throw XCTSkip("the system makes no network namespaces: \(error)") }
  }

  func testPartitionsLoseNoSave() async throws {
    try await repeating("partition", over: makeNetwork) { fleet in
      let (pair, network) = (fleet.pair, try XCTUnwrap(fleet.network))
      // A machine loses its primary, and the other ones go on.
      try network.cut("m0", pair.primary.name)
      try await fleet.waitForGivingUp(of: "a")
      try await fleet.waitForSaves(50, of: ["b", "c", "d"])
      try network.heal("m0", pair.primary.name)
      try await fleet.waitForSaves(20)
      // The primary loses its standby, and nobody can save.
      try network.cut(pair.primary.name, pair.standby.name)
      try pair.waitForBlockedSaves()
      try await fleet.waitForGivingUp(of: "a")
      try network.heal(pair.primary.name, pair.standby.name)
      try await fleet.waitForSaves(20)
      // The old primary still runs, and two machines reach it.
      try network.cut("m1", pair.primary.name)
      try network.cut(pair.primary.name, pair.standby.name)
      try pair.promote()
      try pair.addThird()
      try await fleet.waitForSaves(20)
      try network.heal("m1", pair.standby.name)
      try network.heal(pair.primary.name, pair.standby.name)
      try pair.rebuild()
    }
  }
}
