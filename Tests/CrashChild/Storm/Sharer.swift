import RepriseEventStore
import RepriseRestoration

/// An object that all scenes of a process have, with a state of its own.
@MainActor final class Dial: @MainActor RestorableScreen {
  static let key: RestorationKey<Dial> = "dial"
  var number = 0
  private(set) var isTorn = false

  func encodeRestorableState(with coder: RestorationEncoder) {
    coder.encode(number, forKey: "number")
    coder.encode(-number, forKey: "again")
  }

  func decodeRestorableState(with coder: RestorationDecoder) throws {
    number = try coder.decode(Int.self, forKey: "number") ?? 0
    isTorn = try coder.decode(Int.self, forKey: "again") ?? 0 != -number
  }
}

/// A screen that needs the dial, so that it is archived.
@MainActor final class DialScreen {
  static let kind = NodeKind<Int, DialScreen>("dial screen")
  let dial: Dial
  init(_ dial: Dial) { self.dial = dial }
}

/// Shows some of the scenes that share a dial, while other processes show others, with a dial each: of several states
/// the newest counts, whichever scenes come back.
@MainActor struct Sharer {
  private let process: StormProcess
  private let store: Store

  init(_ process: StormProcess) throws {
    self.process = process
    store = try process.open()
  }

  static func name(_ number: Int) -> String { "dial\(number)" }

  /// All scenes share one record to begin with.
  static func prepare(_ store: Store, _ voice: Voice) async throws {
    let dial = Dial()
    var runs: [Restoration] = []
    for number in 0..<StormCells.dials {
      let run = try await restored(Restoration(store, scene: name(number)), dial)
      _ = try run.open(DialScreen.kind, id: "a", state: 0)
      runs.append(run)
    }
    try await settle(store)
    for run in runs { run.end() }
    for number in 0..<StormCells.dials { voice("is dial/\(name(number))=0") }
  }

  private static func restored(_ run: Restoration, _ dial: Dial) async throws -> Restoration {
    try run.register(dial, as: Dial.key)
    try run.define(DialScreen.kind, needs: .registered(Dial.key)) { _, dial in DialScreen(dial) }
    let report = try await run.restore()
    // Two launches in a row were killed while they made it.
    if report.entries.contains(where: { $0.outcome != .restored }) {
      run.retry(Dial.key)
      for entry in run.report?.entries ?? [] where entry.outcome != .restored { try run.retry(at: entry.path) }
    }
    return run
  }

  private static func settle(_ store: Store) async throws {
    repeat { await Task.yield() } while store.journal.isTurnOpen
    try store.journal.write()
  }

  func run() async throws {
    while !process.chance(6) {
      let dial = Dial()
      let count = Int.random(in: 1...3, using: &process.random)
      var shown: [Int: Restoration] = [:]
      for number in (0..<StormCells.dials).shuffled(using: &process.random).prefix(count) {
        if let run = try await show(number, dial) { shown[number] = run }
      }
      try await found(dial, shown)
      for _ in 0..<Int.random(in: 0...60, using: &process.random) where !shown.isEmpty {
        try await step(dial, &shown)
        if process.chance(4) { await process.sleep(milliseconds: 0...10) }
      }
      for (number, run) in shown {
        process.voice("leaving \(Self.name(number))")
        run.end()
      }
    }
    if process.chance(2) { try await store.close() }
  }

  /// `nil` if somebody has it.
  private func show(_ number: Int, _ dial: Dial) async throws -> Restoration? {
    let name = Self.name(number)
    process.voice("try \(name)")
    let run = Restoration(store, scene: name)
    run.onProblem = { [process] in process.voice.problem("\(name): \($0)") }
    do {
      _ = try await Self.restored(run, dial)
    } catch RestorationError.sceneInUse {
      await process.refused(name)
      return nil
    }
    for entry in run.report?.entries ?? [] where entry.outcome != .restored {
      process.voice.problem("\(name): \(entry)")
    }
    return run
  }

  private func found(_ dial: Dial, _ shown: [Int: Restoration]) async throws {
    if dial.isTorn { process.voice.problem("the dial is torn: \(dial.number)") }
    for number in shown.keys.sorted() { process.voice("found dial/\(Self.name(number))=\(dial.number)") }
    try await keep(dial, shown)
  }

  private func tell(_ word: String, _ state: String, _ shown: [Int: Restoration]) {
    if shown.isEmpty { return }
    process.voice(word + shown.keys.sorted().map { " dial/\(Self.name($0))\(state)" }.joined())
  }

  private func keep(_ dial: Dial, _ shown: [Int: Restoration]) async throws {
    for run in shown.values { try run.save() }
    try await Self.settle(store)
    tell("is", "=\(dial.number)", shown)
  }

  private func step(_ dial: Dial, _ shown: inout [Int: Restoration]) async throws {
    switch Int.random(in: 0..<10, using: &process.random) {
    case 0..<5:
      let next = process.newStamp()
      tell("may", "=\(next)", shown)
      dial.number = next
      shown.values.first?.invalidateState(of: dial)
      repeat { await Task.yield() } while store.journal.isTurnOpen
      tell("made", "", shown)
      // A mistake that a test must find out: an old state is written as if it was new.
      if process.canary == "stale", process.chance(3) {
        dial.number = 0
        shown.values.first?.invalidateState(of: dial)
        await process.sleep(milliseconds: 100...100)
      }
    case 5, 6: try await keep(dial, shown)
    case 7:
      // One more window, or one less.
      let others = (0..<StormCells.dials).filter { shown[$0] == nil }
      guard let number = others.randomElement(using: &process.random) else { return }
      guard let run = try await show(number, dial) else { return }
      shown[number] = run
      try await found(dial, shown)
    case 8:
      guard shown.count > 1, let (number, run) = shown.randomElement(using: &process.random) else { return }
      try await keep(dial, shown)
      shown[number] = nil
      process.voice("leaving \(Self.name(number))")
      run.end()
    default: await process.sleep(milliseconds: 20...100)
    }
  }

  /// When all are dead: together they have the newest state, and then each of them alone.
  static func tally(_ process: StormProcess, _ store: Store) async throws {
    let sharer = try Sharer(process, store)
    var newest: Int?
    for numbers in [Array(0..<StormCells.dials)] + (0..<StormCells.dials).map({ [$0] }) {
      let dial = Dial()
      var shown: [Int: Restoration] = [:]
      for number in numbers { shown[number] = try await sharer.show(number, dial) }
      guard shown.count == numbers.count else { return process.voice.problem("a dial cannot be had") }
      try await sharer.found(dial, shown)
      if let newest, dial.number != newest {
        process.voice.problem("\(numbers) alone has \(dial.number), all together had \(newest)")
      }
      newest = dial.number
      for (number, run) in shown {
        process.voice("leaving \(name(number))")
        run.end()
      }
    }
  }

  private init(_ process: StormProcess, _ store: Store) throws { (self.process, self.store) = (process, store) }
}
