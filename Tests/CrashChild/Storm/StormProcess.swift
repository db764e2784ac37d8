import CRepriseFaults
import RepriseEventStore
import RepriseObjectModel
import RepriseSharing
import RepriseTestSeeds

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What every process of the storm has: a voice, a beat, random numbers, and the store, opened as it happens.
@MainActor final class StormProcess {
  let arguments: Arguments
  let voice: Voice
  let canary: String
  var random: SeededGenerator
  /// The log that the store shares.
  private let log: FileLog?
  private var lastStamp: Int

  init(_ arguments: Arguments) {
    self.arguments = arguments
    voice = Voice(number: arguments.number("number"))
    lastStamp = voice.number * 100_000
    canary = arguments["canary"]
    log = arguments["shares"] == "yes" ? FileLog(arguments.path + "-log") : nil
    random = SeededGenerator(seed: UInt64(arguments.number("seed")))
  }

  static func run(_ arguments: Arguments) async throws {
    let process = StormProcess(arguments)
    do {
      try await process.play()
    } catch {
      process.voice.problem("\(arguments["part"]): \(error)")
    }
  }

  private func play() async throws {
    if arguments["part"] == "prepare" { return try await StormCells.prepare(arguments.path, voice) }
    try voice.beginBeating(arguments.path + "-beats")
    if canary.isEmpty, arguments["part"] != "tally", chance(6) { dieAtAWrite() }
    if canary == "mute" { return await sleep(milliseconds: 1_000_000...1_000_000) }
    switch arguments["part"] {
    case "write": try await Writer(self).run()
    case "type": try await Typist(self).run()
    case "show": try await Window(self).run()
    case "share": try await Sharer(self).run()
    case "sync":
      var client = try Client(self)
      try await client.run()
    case "visit": try await Visitor(self).run()
    case "tally": try await Tally(self).run()
    default: throw UnknownPart()
    }
  }

  struct UnknownPart: Error {}

  /// Lets this process be killed right after one of its next writes: of an opening, a save, a checkpoint, a takeover or
  /// a repair. A kill from outside seldom comes between two writes.
  private func dieAtAWrite() {
    voice("dying")
    if let log, chance(2) { return log.die(afterAppends: Int.random(in: 1...10, using: &random)) }
    let most: UInt64 = [8, 40, 400].randomElement(using: &random) ?? 8
    let write = UInt64.random(in: 1...most, using: &random)
    reprise_faults_watch(arguments.path)
    reprise_faults_fail(REPRISE_WRITE.rawValue, write, 1, 0, REPRISE_DIES_AFTER)
  }

  func open(turnLimit: UInt64? = nil) throws -> Store {
    var options = options()
    options.isUnflushed = !chance(8)
    if chance(3) { options.windowBudget = 4096 }
    options.journal.checkpointThreshold = chance(2) ? 1 << 20 : Int.random(in: 1000...20_000, using: &random)
    options.journal.checkpointDelay = UInt64.random(in: 1_000_000...300_000_000, using: &random)
    if let turnLimit { options.journal.turnLimit = turnLimit }
    if canary == "slow" { (options.journal.aim, options.journal.turnLimit) = (450_000_000, 450_000_000) }
    if canary == "deaf" { options.journal.aim = 60_000_000_000 }
    options.journal.onError = { [voice] in voice.problem("the journal: \($0)") }
    options.sharing = log.map { SharedLog($0) }
    let store = try Store.openNow(arguments.path, for: StormCells.schema, options)
    catchUp(store)
    // Beyond the usual limit a turn may take as long as the machine lets it.
    if turnLimit != nil { voice.held.find { [journal = store.journal] in journal.isTurnOpen } }
    return store
  }

  /// Waits for the packets of processes that were killed before they had an answer.
  func catchUp(_ store: Store) {
    guard let log, let sharing = store.sharing else { return }
    let last = log.last()
    while let place = sharing.status.place, place.sequence < last {
      sharing.lookForPackets()
      usleep(1_000)
    }
  }

  /// A number that no process of this store had before.
  func newStamp() -> Int {
    lastStamp += 1
    return lastStamp
  }

  func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  func sleep(milliseconds: ClosedRange<Int>) async {
    let time = Int.random(in: milliseconds, using: &random)
    try? await Task.sleep(nanoseconds: UInt64(time) * 1_000_000)
  }

  /// A draft or a scene that this process may not have now: a test looks whether somebody else has it.
  func refused(_ what: String) async {
    voice("refused \(what)")
    await sleep(milliseconds: 2...20)
  }
}
