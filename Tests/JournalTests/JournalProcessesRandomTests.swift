import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestSeeds
import XCTest

@testable import RepriseJournal

/// Processes that begin, die, checkpoint, and hand drafts and scenes from one to the other in any order, against a
/// model that forgets nothing.
final class JournalProcessesRandomTests: JournalTestCase {
  private final class Process {
    let name: Int
    let journal: Journal
    var generations: [String: UInt64] = [:]
    var scenes: Set<String> = []

    init(_ name: Int, _ journal: Journal) {
      self.name = name
      self.journal = journal
    }
  }

  /// What a draft has come to: the number it began from and those that its steps gave.
  private struct Model: Equatable {
    var base: Int64 = 0
    var steps: [Int64] = []
    var isThere = false
    var last: Int64 { steps.last ?? base }
  }

  private var random = SeededGenerator(seed: 0)
  private var processes: [Process] = []
  private var drafts: [String: Model] = [:]
  private var scenes: [String: [UInt8]] = [:]
  private var trace: [String] = []
  private var born = 0

  func testADraftIsWhatItsHoldersMadeOfItWhoeverHeldItAndWhoeverCheckpoints() throws {
    for seed in testSeeds(300, from: 200) {
      random = SeededGenerator(seed: seed)
      (processes, drafts, scenes, trace, born) = ([], ["a": Model(), "b": Model()], ["x": []], [], 0)
      try tearDownWithError()
      try setUpWithError()
      for step in 0..<80 {
        do {
          try self.step()
          try check()
        } catch {
          return XCTFail("seed \(seed), step \(step): \(error)\n\(trace.suffix(40).joined(separator: "\n"))")
        }
      }
      for process in processes { process.journal.abandon() }
    }
  }

  private struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  private func note(_ process: Process, _ text: String) { trace.append("\(process.name): \(text)") }

  private func step() throws {
    let chance = Int.random(in: 0..<100, using: &random)
    guard chance >= 8, let process = processes.randomElement(using: &random) else {
      guard processes.count < 4 else { return }
      born += 1
      // One clock, as on one machine.
      processes.append(Process(born, try open { $0.clock = VirtualClock(wall: 1_790_000_000_000_000 + UInt64(born)) }))
      return trace.append("\(born): opens")
    }
    let journal = process.journal
    let id = ["a", "b"].randomElement(using: &random) ?? "a"
    switch chance {
    case ..<14: try kill(process)
    case ..<34: try take(id, process)
    case ..<38: try takeScene(process)
    case ..<62: if let generation = process.generations[id] { try edit(id, generation, process) }
    case ..<66:
      guard process.generations[id] != nil, drafts[id]?.steps.isEmpty == false else { return }
      note(process, "undoes in \(id)")
      drafts[id]?.steps.removeLast()
      journal.append([.draftUndone(draft: id)])
      try journal.write()
    case ..<70: try save(id, process)
    case ..<73:
      guard process.generations[id] != nil else { return }
      note(process, "ends \(id)")
      drafts[id] = Model(base: drafts[id]?.base ?? 0)
      process.generations[id] = journal.nextGeneration()
      journal.append([.draftEnded(draft: id)])
      try journal.write()
    case ..<80:
      guard process.generations.removeValue(forKey: id) != nil else { return }
      note(process, "lets go of \(id)")
      journal.release(.draft(id))
    case ..<83:
      guard process.scenes.remove("x") != nil else { return }
      note(process, "lets go of x")
      journal.release(.scene("x"))
    case ..<88:
      guard process.scenes.contains("x") else { return }
      let bytes = [UInt8.random(in: 0...255, using: &random)]
      note(process, "puts \(bytes)")
      scenes["x"] = bytes
      journal.append([.nodePut(scene: "x", key: "node", bytes: bytes)])
      try journal.write()
    case ..<94: try checkpointAll(process, onlyHeld: chance.isMultiple(of: 2))
    default: try breakOff(process)
    }
  }

  private func kill(_ process: Process) throws {
    note(process, "dies")
    processes.removeAll { $0 === process }
    let heir = try releaseSome(process)
    process.journal.abandon()
    if let heir, Bool.random(using: &random) { try checkpointAll(heir, onlyHeld: Bool.random(using: &random)) }
  }

  /// The system releases the locks of a dead process one after the other. Another process may look in between.
  private func releaseSome(_ process: Process) throws -> Process? {
    guard Bool.random(using: &random), let other = processes.randomElement(using: &random) else { return nil }
    process.journal.core.disk.withLock { disk in
      let files = disk.held.map(\.file) + [disk.own.file].compactMap { $0 }
      for file in files where Bool.random(using: &random) { file.close() }
    }
    note(other, "looks")
    _ = try other.journal.othersJournals()
    return other
  }

  private func take(_ id: String, _ process: Process) throws {
    let isFree = processes.allSatisfy { $0.generations[id] == nil }
    guard try take(id, in: process.journal) == isFree else { throw Wrong(description: "\(id) is free: \(isFree)") }
    guard isFree else { return }
    note(process, "takes \(id)")
    process.generations[id] = process.journal.nextGeneration()
    try compare(id, process)
    process.generations[id] = process.journal.nextGeneration()
  }

  private func takeScene(_ process: Process) throws {
    let isFree = processes.allSatisfy { !$0.scenes.contains("x") }
    guard try take(.scene("x"), in: process.journal) == isFree else { throw Wrong(description: "x is free: \(isFree)") }
    guard isFree else { return }
    note(process, "takes x")
    process.scenes.insert("x")
  }

  private func edit(_ id: String, _ generation: UInt64, _ process: Process) throws {
    var model = drafts[id] ?? Model()
    let number = Int64.random(in: 1...1_000_000, using: &random)
    note(process, "sets \(id) to \(number), generation \(generation)")
    var entries: [JournalEntry] = []
    if !model.isThere { entries.append(began(id, generation: generation)) }
    entries.append(edited(id, 1, .int(model.last), .int(number), generation: generation))
    model.isThere = true
    model.steps.append(number)
    drafts[id] = model
    process.journal.append(entries)
    try process.journal.write()
  }

  /// The commit consumes the draft; the process may die before its journal says so.
  private func save(_ id: String, _ process: Process) throws {
    guard let generation = process.generations[id], let model = drafts[id], model.isThere else { return }
    note(process, "saves \(id) up to \(generation)")
    try consume(process.journal, id, upTo: generation)
    drafts[id] = Model(base: model.last)
    process.generations[id] = process.journal.nextGeneration()
    if Bool.random(using: &random) { return try kill(process) }
    process.journal.append([.draftEmptied(draft: id, upTo: generation)])
    try process.journal.write()
  }

  private func checkpointAll(_ process: Process, onlyHeld: Bool) throws {
    note(process, "checkpoints\(onlyHeld ? " what it took over" : "")")
    try checkpoint(process.journal, onlyHeld: onlyHeld)
  }

  /// A checkpoint that a failure or a kill ends between two slices, or before its files are removed.
  private func breakOff(_ process: Process) throws {
    note(process, "begins a checkpoint")
    if var checkpoint = try process.journal.beginCheckpoint() {
      for _ in 0..<Int.random(in: 0...3, using: &random) where !checkpoint.isDone { try commitSlice(&checkpoint) }
    }
    if Bool.random(using: &random) { try kill(process) }
  }

  private func check() throws {
    for process in processes {
      for id in process.generations.keys { try compare(id, process) }
      guard process.scenes.contains("x") else { continue }
      let found = try image(process.journal).scenes["x"]?["node"] ?? []
      guard found == scenes["x"] else { throw Wrong(description: "\(process.name): x is \(found)") }
    }
  }

  private func compare(_ id: String, _ process: Process) throws {
    let recovery = try process.journal.recovery(of: .draft(id))
    let transaction = try environment.beginRead()
    let map = map!
    let source = DraftSource(environment: environment, limit: 0) { [environment] in
      try? environment?.read { (transaction) throws(StorageError) in try recovery.rows(.draft(id), transaction.view) }
    }
    for source in [nil, source] {
      try compare(id, process, try recovery.draft(.draft(id), transaction.view, map, from: source))
    }
  }

  private func compare(_ id: String, _ process: Process, _ found: DraftFinding?) throws {
    guard let model = drafts[id] else { return }
    switch found?.draft {
    case nil: if model.isThere { throw Wrong(description: "\(process.name): \(id) is not there, not \(model)") }
    case .unreadable(_, let reason): throw Wrong(description: reason)
    case .readable(let image):
      guard image.problems == [] else { throw Wrong(description: "\(process.name): \(image.problems)") }
      let numbers = image.groups.flatMap(\.edits).map { edit -> Int64 in
        if case .updated(let changes) = edit.change, case .int(let new)? = changes.first?.new { new } else { -1 }
      }
      guard model.isThere, numbers == model.steps, image.groupCount == numbers.count,
        counts(image)[1] ?? model.base == model.last
      else {
        throw Wrong(description: "\(process.name): \(id) is \(numbers), \(counts(image)), not \(model)")
      }
    }
  }
}
