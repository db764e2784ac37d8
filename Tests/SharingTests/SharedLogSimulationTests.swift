import Foundation
import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSharing
import RepriseTesting
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Whatever happens between three servers and their shared log, no acknowledged save is lost or made twice, and all
/// servers have the same graph.
final class SharedLogSimulationTests: XCTestCase {
  func testNoScheduleLosesOrDoublesASave() async throws {
    let schedules = Int(ProcessInfo.processInfo.environment["REPRISE_SCHEDULES"] ?? "") ?? 10_000
    var done = 0
    var seed = testSeed()
    while done < schedules {
      let simulation = try SharedLogSimulation(seed)
      for _ in 0..<min(200, schedules - done) {
        try await simulation.runSchedule()
        done += 1
      }
      try await simulation.end()
      seed &+= 1
    }
  }

  func testTheSimulationFindsEachMistake() async throws {
    for mistake in SimulatedServer.Mistake.allCases {
      var isFound = false
      for seed in 1...40 where !isFound {
        let simulation = try SharedLogSimulation(UInt64(seed), mistake)
        do {
          for _ in 0..<20 { try await simulation.runSchedule() }
        } catch {
          isFound = true
        }
        simulation.abandon()
      }
      XCTAssertTrue(isFound, "\(mistake)")
    }
  }
}

/// Three servers on one thread.
private final class SharedLogSimulation {
  private final class Process {
    let server: SimulatedServer
    let store: Store
    let context: RootContext
    let hasNotes: Bool
    /// Whether a save of the server is under way.
    var isSaving = false

    init(_ server: SimulatedServer, _ store: Store, hasNotes: Bool) {
      (self.server, self.store, self.hasNotes) = (server, store, hasNotes)
      context = RootContext(store)
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ seed: UInt64, _ what: String) { description = "seed \(seed): \(what)" }
  }

  private let seed: UInt64
  private let mistake: SimulatedServer.Mistake?
  private var random: RepriseTestSeeds.SeededGenerator
  private let log = MemoryLog()
  private let folder: String
  private var processes: [Process] = []
  private var number = 0
  private var acknowledged: Set<Int> = []
  private var refused: Set<Int> = []
  /// The position up to which the log was checked, and the numbers of the saves found.
  private var checked: Position = 0
  private var depth = 0

  private static let plain = Schema(Parcel.self, Depot.self)
  private static let whole = Schema(Parcel.self, Depot.self, Note.self, Notebook.self)

  init(_ seed: UInt64, _ mistake: SimulatedServer.Mistake? = nil) throws {
    (self.seed, self.mistake) = (seed, mistake)
    random = RepriseTestSeeds.SeededGenerator(seed: seed)
    folder = NSTemporaryDirectory() + "reprise-simulation-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try open("0")
    checked = try processes[0].store.refreshedHead()
    for name in ["1", "2"] {
      try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: folder + "/0/data.mdb", toPath: folder + "/\(name)/data.mdb")
      try open(name, isCopy: true)
    }
  }

  func abandon() {
    processes = []
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func open(_ name: String, isCopy: Bool = false, at place: Int? = nil) throws {
    let server = SimulatedServer(name, log)
    server.mistake = mistake
    server.fate = { [unowned self] in fate() }
    server.interrupt = { [unowned self] in interrupt(name) }
    // A program cannot open a store without the models of its objects.
    let hasNotes = processes.contains(where: \.hasNotes) || !isCopy && place != nil && chance(3)
    var options = StoreOptions()
    options.isUnflushed = true
    options.mapSize = 1 << 32
    options.sharing = server
    // While a server opens, its schema may be appended.
    depth += 1
    defer { depth -= 1 }
    var opened: Store?
    while opened == nil { opened = try storeIfConnected(name, hasNotes ? Self.whole : Self.plain, options) }
    let store = opened!
    let process = Process(server, store, hasNotes: hasNotes)
    if let place { processes[place] = process } else { processes.append(process) }
  }

  /// `nil` if the shared log could not be reached. The program tries again later.
  private func storeIfConnected(_ name: String, _ models: Schema, _ options: StoreOptions) throws -> Store? {
    do {
      return try Store.openNow(folder + "/" + name, for: models, options)
    } catch StoreError.sharing(_, SharedLogError.unavailable) {
      return nil
    }
  }

  private func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private func fate() -> SimulatedServer.Fate {
    // An opening is not killed here: it has no save that could be lost.
    switch Int.random(in: 0..<(depth > 0 ? 20 : 16), using: &random) {
    case 0: .lostBefore
    case 1: .lostAfter
    case 2: .disconnected
    case 3 where depth == 0 && chance(4): .killedBefore
    case 4 where depth == 0 && chance(4): .killedAfter
    default: .none
    }
  }

  /// Something happens on other servers.
  private func interrupt(_ name: String) {
    guard depth < 2, chance(3) else { return }
    depth += 1
    defer { depth -= 1 }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let others = processes.filter { $0.server.name != name && !$0.isSaving }
      if let other = others.randomElement(using: &random) { try? step(other) }
    }
  }

  // MARK: Steps

  /// Runs a few steps and, within their appends, steps of other servers. Then all servers take what is in the log.
  func runSchedule() async throws {
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let place = Int.random(in: 0..<processes.count, using: &random)
      try step(processes[place])
      for place in processes.indices where processes[place].server.isKilled || chance(300) {
        let name = processes[place].server.name
        await processes[place].store.abandon()
        try open(name, at: place)
      }
    }
    try settle()
    try check()
  }

  private func step(_ process: Process) throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2: try process.server.follow(limit: Int.random(in: 1...3, using: &random))
    case 2: try process.context.refresh()
    case 3 where chance(4):
      // The shared log drops the packets that all servers have.
      let places = try processes.map { try $0.server.replica.place() }
      log.release(process.store.logID, upTo: places.min { $0.sequence < $1.sequence }!)
    default: try save(process)
    }
    if let failure = process.server.failure { throw failure }
  }

  private func save(_ process: Process) throws {
    let context = process.context
    number += 1
    let number = number
    context.insert(Depot("depot \(number)"))
    for _ in 0..<Int.random(in: 0...3, using: &random) { try edit(process) }
    process.isSaving = true
    defer { process.isSaving = false }
    do {
      try context.saveAndWait("save", metadata: ["number": "\(number)"])
      acknowledged.insert(number)
    } catch SaveError.outcomeUnknown {
      context.discard()
    } catch SaveError.refused {
      refused.insert(number)
      context.discard()
    } catch SaveError.unavailable {
      refused.insert(number)
      if chance(2) { context.discard() }
    }
  }

  private func edit(_ process: Process) throws {
    let context = process.context
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      let parcel = context.insert(Parcel("parcel \(number)", rank: Int.random(in: 0..<9, using: &random)))
      // Two servers may choose the same unique code.
      if chance(2) { parcel.code = Int.random(in: 0..<50, using: &random) }
    case 1, 2:
      guard let parcel = try context.fetch(Fetch<Parcel>().limit(20)).randomElement(using: &random) else { return }
      parcel.rank = Int.random(in: 0..<9, using: &random)
      if chance(3) { parcel.remark += "\(number) " }
    case 3:
      guard let parcel = try context.fetch(Fetch<Parcel>().limit(20)).randomElement(using: &random) else { return }
      parcel.depot = try context.fetch(Fetch<Depot>().limit(20)).randomElement(using: &random)
    case 4:
      // The depot of this save shows that the save is in the log.
      let depots = try context.fetch(Fetch<Depot>().limit(20)).filter { $0.name != "depot \(number)" }
      if let depot = depots.randomElement(using: &random), chance(2) { context.delete(depot) }
    case 5:
      guard let parcel = try context.fetch(Fetch<Parcel>().limit(20)).randomElement(using: &random) else { return }
      context.delete(parcel)
    default: if process.hasNotes { context.insert(Note(title: "note \(number)", body: nil, rank: number)) }
    }
  }

  // MARK: Checks

  private func settle() throws {
    depth = 2
    defer { depth = 0 }
    // A packet without an answer of one server may be appended by another one's settling.
    for _ in 0..<2 { for process in processes { try process.server.settle() } }
    for process in processes { if let failure = process.server.failure { throw failure } }
  }

  private func check() throws {
    let heads = try processes.map { process in
      try process.store.environment.read { (transaction) throws(StorageError) in
        let end = try MetaTable(process.store.tables.meta).head(transaction.view)
        return "\(end.position) \(end.hash)"
      }
    }
    guard Set(heads).count == 1 else { throw Failure(seed, "the heads differ: \(heads)") }
    let (store, first) = (processes[0].store, checked)
    let head = try store.refreshedHead()
    var found: [Int] = []
    try store.environment.read { (transaction) throws(StorageError) in
      for position in stride(from: first + 1, through: head, by: 1) {
        try LogTable(store.tables.log).withFrame(position, transaction.view) { (frame) throws(MalformedBytes) in
          if let number = frame.envelope.metadata["number"].flatMap(Int.init) { found.append(number) }
        }
      }
    }
    checked = head
    let all = Set(found)
    if all.count != found.count { throw Failure(seed, "a save is in the log twice: \(found)") }
    let missing = acknowledged.subtracting(all)
    if !missing.isEmpty { throw Failure(seed, "acknowledged saves are not in the log: \(missing), but \(found)") }
    let unwanted = refused.intersection(all)
    if !unwanted.isEmpty { throw Failure(seed, "refused saves are in the log: \(unwanted)") }
    acknowledged = []
  }

  /// Compares all rows of the servers.
  func end() async throws {
    var all: [String: [[UInt8]: [UInt8]]] = [:]
    for process in processes {
      let problems = try StoreMaintenance.verifyNow(process.store).problems
      if !problems.isEmpty { throw Failure(seed, "\(process.server.name): \(problems)") }
      for name in ["log", "objects", "values"] {
        let rows = try process.store.rows(of: name)
        if all[name, default: rows] != rows { throw Failure(seed, "the rows of \(name) differ") }
        all[name] = rows
      }
      await process.store.abandon()
    }
    try FileManager.default.removeItem(atPath: folder)
  }
}

extension Store {
  fileprivate func rows(of name: String) throws -> [[UInt8]: [UInt8]] {
    try environment.read { (transaction) throws(StorageError) in
      var rows: [[UInt8]: [UInt8]] = [:]
      let table = name == "values" ? try tables.values.table(transaction.view) : environment.table(name)
      var cursor = try transaction.view.cursor(table)
      while let entry = try cursor.next() {
        rows[entry.key.withUnsafeBytes { [UInt8]($0) }] = entry.value.withUnsafeBytes { [UInt8]($0) }
      }
      return rows
    }
  }
}
