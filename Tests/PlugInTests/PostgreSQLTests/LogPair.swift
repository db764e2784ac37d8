import Foundation
import RepriseCore
import ReprisePostgreSQL
import XCTest

/// A primary, a synchronous standby, three servers that save, and one that follows.
final class LogPair {
  private(set) var primary: LogServer
  private(set) var standby: LogServer
  private var third: LogServer?
  private let connection: String
  /// Where the machines of the servers find the pair, in libpq's words.
  let database: String
  private let network: ServerNetwork?
  private let logID = UniqueID()
  private var savers: [Saver] = []
  private var follower: Follower?
  private var tasks: [Task<Void, Never>] = []

  /// - network: Each database server gets a machine there, with its name.
  init(_ network: ServerNetwork? = nil) throws {
    self.network = network
    primary = try LogServer("a", at: try network?.place("a"))
    standby = try LogServer("b", at: try network?.place("b"))
    connection = primary.connection(or: standby)
    database = primary.network(or: standby)
    try primary.initialise()
    try primary.start()
    try addStandby()
  }

  func makeLog() -> PostgreSQLLog { PostgreSQLLog(connection) }

  private func addStandby() throws {
    try standby.copy(primary)
    try standby.start()
    try primary.setStandbys(standby.name)
    try waitForStandby()
  }

  func waitForStandby() throws {
    while try primary.answer("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1" {
      usleep(10_000)
    }
  }

  /// Begins to save and to follow.
  func begin() {
    savers = (0..<3).map { _ in Saver(makeLog(), in: logID) }
    let follower = Follower(makeLog(), in: logID)
    self.follower = follower
    tasks = savers.map { saver in Task { await saver.run() } } + [Task { await follower.run() }]
  }

  /// Waits until each server has saved `count` more times.
  func waitForSaves(_ count: Int) async throws {
    let goals = savers.map { $0.count + count }
    for (saver, goal) in zip(savers, goals) {
      while saver.count < goal, saver.state.withLock(\.failures.isEmpty) {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  /// Waits until sessions wait for the standby.
  func waitForBlockedSaves() throws {
    guard try primary.hasBlockedCommit() else { throw TestServer.Failure(description: "no session waits") }
  }

  /// Ends the waits for the standby with `pg_cancel_backend` or `pg_terminate_backend`.
  func endBlockedSaves(_ function: String) throws {
    try primary.execute("SELECT \(function)(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
  }

  /// The standby becomes the primary. It still waits for a standby with its own name, so nothing can be saved.
  func promote() throws {
    try standby.promote()
    swap(&primary, &standby)
  }

  /// Kills the server that was the primary, and makes a standby of it.
  func rebuild() throws {
    standby.kill()
    try addStandby()
    third = nil
  }

  /// The new primary gets a third server as its standby. The old primary may still run.
  func addThird() throws {
    let third = try LogServer("c", at: try network?.place("c"))
    try third.copy(primary)
    try third.start()
    try primary.setStandbys(third.name)
    try waitForStandby()
    self.third = third
  }

  /// Ends the saves, and compares them with the log.
  ///
  /// - followerIsPrefix: False if somebody cancelled waits. A follower may then be ahead of the log.
  func check(_ message: String, followerIsPrefix: Bool = true) async throws -> (saves: Int, unknown: Int) {
    for saver in savers { saver.stop() }
    follower?.stop()
    for task in tasks { await task.value }
    let log = try await packets(of: makeLog(), in: logID)
    Saves(savers).check(log, message)
    if followerIsPrefix, let follower {
      XCTAssertEqual(follower.failures.withLock { $0 }, [], message)
      let applied = follower.applied.withLock { $0 }
      XCTAssertEqual(applied, Array(log.prefix(applied.count)), "\(message): the follower has other packets")
      XCTAssertFalse(applied.isEmpty, message)
    }
    return (savers.reduce(0) { $0 + $1.count }, savers.reduce(0) { $0 + $1.state.withLock(\.unknown) })
  }
}
