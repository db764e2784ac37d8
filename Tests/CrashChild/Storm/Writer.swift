import RepriseEventStore
import RepriseObjectGraph
import RepriseTestSeeds

/// Counts as the two writers of `Counting` do, with two contexts that save at the same time: each save adds one to what
/// all share and to a lane of the writer's own, so that a save that is lost, doubled, there in part or over another's
/// shows in the sum.
@MainActor struct Writer {
  private let process: StormProcess
  private let store: Store

  init(_ process: StormProcess) throws {
    self.process = process
    store = try process.open()
  }

  func run() async throws {
    let name = process.arguments["name"]
    var first = Counter(process, "\(name)1")
    var second = Counter(process, "\(name)2")
    let root = RootContext(store, author: name, name: "writer")
    let background = BackgroundContext(store, author: name)
    try first.look(root)
    try second.look(root)
    let other = Task {
      while true {
        try await background.perform { try await second.count($0) }
        try await Task.sleep(nanoseconds: second.pause)
      }
    }
    while !process.chance(100) {
      try await first.count(root)
      try await Task.sleep(nanoseconds: first.pause)
    }
    other.cancel()
    // Cancelled while it sleeps; what it is saving is saved.
    _ = await other.result
    if process.chance(2) { try await store.close() }
  }
}

/// One of those who count.
struct Counter: Sendable {
  private let name: String
  private let lane: Int
  private let voice: Voice
  private let canary: String
  private var random: SeededGenerator

  @MainActor init(_ process: StormProcess, _ name: String) {
    self.name = name
    lane = StormCells.counters[name] ?? 0
    voice = process.voice
    canary = process.canary
    random = SeededGenerator(seed: process.random.next())
  }

  var pause: UInt64 {
    mutating get { UInt64.random(in: 0...8_000_000, using: &random) }
  }

  func look(_ context: RootContext) throws {
    try context.refresh()
    voice("found count/\(name)=\(try Self.sum(context, voice)[name] ?? 0)")
  }

  nonisolated(nonsending) mutating func count(_ context: RootContext) async throws {
    try context.refresh()
    let last = try Self.sum(context, voice)[name] ?? 0
    let next = last + 1
    voice("may count/\(name)=\(next)")
    if canary == "early" { voice("is count/\(name)=\(next)") }
    try Lane.edit(lane, to: next, renewing: Int.random(in: 0..<6, using: &random) == 0, in: context)
    if Cell.extras > 0 { for cell in try Lane.cells(lane, in: context) { cell.setExtra(next) } }
    if canary == "torn" { try await context.save("Half") }
    try StormCells.cell(StormCells.shared, context).stamp += 1
    do {
      try await context.save("Count \(next)")
      voice("is count/\(name)=\(next)")
    } catch SaveError.refused {
      context.discard()
      voice("is count/\(name)=\(canary == "torn" ? next : last)")
    }
  }

  /// What each has counted, compared with what all share, at one position.
  static func sum(_ context: RootContext, _ voice: Voice) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for (name, lane) in StormCells.counters {
      switch try Lane.read(lane, in: context) {
      case .whole(let stamp): counts[name] = stamp
      case .torn(let what): voice.problem("\(name) at \(context.position) has part of a save: \(what)")
      }
    }
    let shared = try StormCells.cell(StormCells.shared, context).stamp
    if counts.values.reduce(0, +) != shared { voice.problem("\(counts) make \(shared) at \(context.position)") }
    return counts
  }
}
