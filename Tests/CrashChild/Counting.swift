import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery
import RepriseTestSeeds

/// Two processes that write at once count together: each save adds one to what is shared and one to the writer's own,
/// so a save that overwrote another's, or that is there in part, shows in the sum.
enum Counting {
  static let shared = 100
  static let own = ["a": 101, "b": 102]

  static func prepare(_ path: String) async throws {
    try await withStore(path) { store in
      let context = RootContext(store, isolation: nil)
      for lane in [shared] + own.values.sorted() { context.insert(Cell(lane: lane, place: 0)) }
      try await context.save("Prepare")
    }
  }

  /// Counts to a limit. Whoever comes too late takes up what the other did, and tries again.
  static func count(_ arguments: Arguments) async throws {
    let name = arguments["name"]
    let store = try openStore(arguments.path)
    let context = RootContext(store, author: name, isolation: nil)
    var random = SeededGenerator(seed: UInt64(arguments.number("seed")))
    var done = 0
    var conflicts = 0
    while done < arguments.number("limit", 1_000_000) {
      try context.refresh()
      let shared = try cell(shared, context)
      let own = try cell(own[name] ?? 0, context)
      shared.stamp += 1
      own.stamp += 1
      own.text = String(repeating: "\(own.stamp) ", count: Int.random(in: 0...400, using: &random))
      say("counting \(own.stamp)")
      do {
        try await context.save("Count")
        say("counted \(own.stamp)")
        done += 1
      } catch SaveError.refused {
        context.discard()
        conflicts += 1
      }
    }
    say("done \(done) conflicts \(conflicts)")
  }

  /// Reads until so much was counted, and looks whether what it reads is ever part of a save, or older than before.
  static func watch(_ arguments: Arguments) async throws {
    let store = try openStore(arguments.path)
    let context = RootContext(store, isolation: nil)
    let last = arguments.number("until")
    var (sum, rounds) = (0, 0)
    while sum < last {
      try context.refresh()
      let now = try look(context)
      if now < sum { problem("\(now) after \(sum)") }
      sum = now
      rounds += 1
    }
    say("watched \(rounds)")
  }

  /// Says what was counted, and proves the store.
  static func tally(_ path: String) async throws {
    try await withStore(path) { store in
      let context = RootContext(store, isolation: nil)
      try context.refresh()
      let sum = try look(context)
      let each = try own.sorted { $0.key < $1.key }.map { "\($0.key) \(try cell($0.value, context).stamp)" }
      let report = try StoreMaintenance.verifyNow(store)
      if !report.isSound { problem("\(report)") }
      say("tally \(sum) \(each.joined(separator: " "))")
    }
  }

  /// The shared number, after it was compared with everything that it must agree with.
  private static func look(_ context: RootContext) throws -> Int {
    let sum = try cell(shared, context).stamp
    let each = try own.values.map { try cell($0, context).stamp }
    if each.reduce(0, +) != sum { problem("\(each) make \(sum) at \(context.position)") }
    // One transaction each, after the schema's and the preparation's.
    if context.position != Position(UInt64(sum + 2)) { problem("\(sum) counted at \(context.position)") }
    return sum
  }

  static func cell(_ lane: Int, _ context: ObjectContext) throws -> Cell {
    guard let cell = try context.fetch(Fetch<Cell> { $0.lane == lane }).first else { throw Missing(lane: lane) }
    return cell
  }

  struct Missing: Error {
    let lane: Int
  }
}
