import Foundation
import RepriseCore
import ReprisePostgreSQL
import XCTest

/// The primary fails while servers save. `REPRISE_FAILOVERS` repeats each test, for example 100 times.
final class PostgreSQLFailoverTests: XCTestCase {
  private func repeating(
    _ name: String, followerIsPrefix: Bool = true, _ fail: (LogPair) async throws -> Void
  ) async throws {
    let pair = try LogPair()
    let rounds = ProcessInfo.processInfo.environment["REPRISE_FAILOVERS"].flatMap { Int($0) } ?? 1
    for round in 0..<rounds {
      pair.begin()
      try await pair.waitForSaves(50)
      try await fail(pair)
      try await pair.waitForSaves(20)
      let count = try await pair.check("\(name) \(round)", followerIsPrefix: followerIsPrefix)
      if rounds > 1 { print("\(name) \(round): \(count.saves) saves, \(count.unknown) unknown answers") }
    }
  }

  func testAKilledPrimaryLosesNoSave() async throws {
    try await repeating("kill") { pair in
      pair.primary.kill()
      try pair.promote()
      try pair.rebuild()
    }
  }

  func testAPrimaryThatRestartsAloneConfirmsNoSave() async throws {
    try await repeating("alone") { pair in
      pair.standby.kill()
      // The standby may have the commits that wait at the first restart. It lacks the ones that wait at the second.
      for _ in 0..<2 {
        try pair.waitForBlockedSaves()
        pair.primary.kill()
        try pair.primary.start()
      }
      try pair.waitForBlockedSaves()
      try await Task.sleep(for: .milliseconds(300))
      pair.primary.kill()
      try pair.standby.start()
      try pair.promote()
      try pair.rebuild()
    }
  }

  func testACancelledWaitConfirmsNoSave() async throws {
    try await repeating("cancel", followerIsPrefix: false) { pair in
      pair.standby.kill()
      for round in 0..<10 {
        try pair.waitForBlockedSaves()
        try pair.endBlockedSaves(round.isMultiple(of: 2) ? "pg_cancel_backend" : "pg_terminate_backend")
      }
      pair.primary.kill()
      try pair.standby.start()
      try pair.promote()
      try pair.rebuild()
    }
  }

  /// The server would keep each of them until the standby is back.
  func testRetriesLeaveOneWaitingSession() async throws {
    let pair = try LogPair()
    let log = pair.makeLog()
    let id = UniqueID()
    let start = try await log.attach(to: id).last
    pair.standby.kill()
    let packet = try TestPacket.make(after: nil, in: id)
    guard case .unknown = try await log.append(packet, after: start) else { return XCTFail("no standby has it") }
    for _ in 0..<2 {
      do {
        _ = try await log.attach(to: id)
        XCTFail("no standby confirmed the connection")
      } catch PostgreSQLLogError.unavailable {}
    }
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    XCTAssertEqual(try pair.primary.answer(waiting), "1")
    try pair.standby.start()
    _ = try await log.attach(to: id)
    guard case .duplicate = try await log.append(packet, after: start) else { return XCTFail("it was appended") }
    XCTAssertEqual(try pair.primary.answer(waiting), "0")
  }

  /// The old primary accepts connections all the time, and commits wait there forever.
  func testAnIsolatedPrimaryIsLeft() async throws {
    try await repeating("isolated") { pair in
      pair.primary.signal(SIGSTOP)
      try pair.promote()
      pair.standby.signal(SIGCONT)
      try pair.addThird()
      let fresh = PostgreSQLLog(pair.standby.connection(or: pair.primary))
      do {
        _ = try await fresh.attach(to: UniqueID())
        XCTFail("a server without a standby confirmed the connection")
      } catch PostgreSQLLogError.unavailable {}
      _ = try await fresh.attach(to: UniqueID())
      try await pair.waitForSaves(20)
      try pair.rebuild()
    }
  }
}
