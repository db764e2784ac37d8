import Foundation
import RepriseCore
import ReprisePostgreSQL
import RepriseSharing
import RepriseTesting
import Songs
import XCTest

/// Four server processes on three machines, over a PostgreSQL pair. The last two share a store.
final class ServerFleet {
  let pair: LogPair
  let network: ServerNetwork?
  private let folder = NSTemporaryDirectory() + "reprise-fleet-\(UUID().uuidString)"
  /// By the letter of the process.
  private var programs: [String: ServerProgram] = [:]
  private var ended: [ServerProgram] = []
  private var launches = 0

  private static let stores = ["a": "0", "b": "1", "c": "2", "d": "2"]
  /// Some give up soon, so that many outcomes are unknown. The others wait through each failure.
  private static let patience: [String: Duration] = ["a": .milliseconds(500), "c": .seconds(2)]

  static func begin(_ network: ServerNetwork? = nil) async throws -> ServerFleet {
    let fleet = try ServerFleet(network)
    try await fleet.makeStores()
    for letter in stores.keys.sorted() { try fleet.launch(letter) }
    return fleet
  }

  private init(_ network: ServerNetwork?) throws {
    self.network = network
    pair = try LogPair(network)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    for program in programs.values { program.kill() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Stores

  private func open(_ name: String) async throws -> Store {
    let log = SharedLog(pair.makeLog(), patience: .seconds(30))
    return try await Store.open("\(folder)/\(name)", for: Song.self, sharing: log)
  }

  private func makeStores() async throws {
    let first = try await open("0")
    for name in ["1", "2"] { try await StoreMaintenance.makeSeed(of: first, at: "\(folder)/\(name)") }
    try await first.close()
  }

  // MARK: Processes

  /// Starts a process. It gets a new name for its saves.
  func launch(_ letter: String) throws {
    let store = Self.stores[letter] ?? "0"
    launches += 1
    programs[letter] = try ServerProgram(
      "\(letter)\(launches)", store: "\(folder)/\(store)", ledgers: folder,
      patience: Self.patience[letter] ?? .seconds(60), database: pair.database,
      launcher: try network?.place("m" + store).launcher ?? [])
  }

  func program(_ letter: String) throws -> ServerProgram { try XCTUnwrap(programs[letter], "no process \(letter)") }

  func kill(_ letter: String) throws {
    let program = try program(letter)
    program.kill()
    ended.append(program)
    programs[letter] = nil
  }

  /// The process that follows for the two, and the other one.
  func pairOfAStore() async throws -> (follower: String, other: String) {
    while true {
      if try program("c").report().isFollower { return ("c", "d") }
      if try program("d").report().isFollower { return ("d", "c") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func waitForFollower(_ letter: String) async throws {
    while try !program(letter).report().isFollower { try await Task.sleep(for: .milliseconds(10)) }
  }

  // MARK: Progress

  /// Waits until processes have more outcomes of a kind.
  ///
  /// - letters: `nil` for all processes.
  private func wait(_ count: Int, _ letters: [String]?, _ outcomes: (ServerLedger) -> Int) async throws {
    let waiting = try (letters ?? programs.keys.sorted()).map(program)
    let goals = waiting.map { outcomes($0.ledger) + count }
    for (program, goal) in zip(waiting, goals) {
      while outcomes(program.ledger) < goal {
        try program.check()
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  /// Waits until each process has saved `count` more times.
  func waitForSaves(_ count: Int, of letters: [String]? = nil) async throws {
    try await wait(count, letters) { $0.saved.count }
  }

  /// Waits until a save of a process has given up.
  func waitForGivingUp(of letter: String) async throws {
    try await wait(1, [letter]) { $0.undecided.count + $0.refused.count }
  }

  // MARK: The end

  /// Ends the saves, waits until all processes have all transactions, and compares all stores with all ledgers.
  func check(_ message: String) async throws -> String {
    for program in programs.values { try program.rest() }
    let listed = try await waitForEachOther(message)
    for program in programs.values { try program.quit() }
    let killed = Set(ended.map(\.name))
    let all = ended + programs.values
    programs = [:]
    var logs: [[UniqueID]] = []
    for name in Set(Self.stores.values).sorted() {
      let store = try await open(name)
      let transactions = try store.log.transactions(limit: .max)
      logs.append(transactions.map(\.id))
      let titles = transactions.filter { !$0.changes.isEmpty }.map { $0.name ?? "" }
      let saves = ServerSaves(titles, "\(message), store \(name)")
      for program in all {
        try await saves.check(program.name, program.ledger, wasKilled: killed.contains(program.name)) { transaction in
          try await store.log.position(ofTransaction: transaction) != nil
        }
      }
      let songs = try await store.read { try $0.fetch(Fetch<Song>()).map(\.title) }
      XCTAssertEqual(songs.sorted(), titles.sorted(), "\(message): the songs of store \(name)")
      XCTAssertEqual(listed, titles.count, "\(message): the lists of the processes, and store \(name)")
      let report = try await StoreMaintenance.verify(store)
      XCTAssertTrue(report.isSound, "\(message), store \(name): \(report)")
      XCTAssertNil(store.sharing?.status.failure, "\(message), store \(name)")
      try await store.close()
    }
    for log in logs { XCTAssertEqual(log, logs[0], "\(message): the stores differ") }
    let count = { (outcomes: (ServerLedger) -> Int) in all.reduce(0) { $0 + outcomes($1.ledger) } }
    return "\(count { $0.saved.count }) saves, \(count { $0.undecided.count }) undecided, "
      + "\(count { $0.refused.count }) refused"
  }

  /// Returns the number of songs in each list.
  private func waitForEachOther(_ message: String) async throws -> Int {
    while true {
      let reports = try programs.values.map { try $0.report() }
      let failures = reports.map(\.failure).filter { !$0.isEmpty }
      if !failures.isEmpty { throw TestServer.Failure(description: "\(message): \(failures)") }
      let states = Set(reports.map { [$0.head, $0.fed, UInt64($0.listed)] })
      if states.count == 1, reports.allSatisfy({ $0.isDecided && $0.fed == $0.head }) { return reports[0].listed }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
