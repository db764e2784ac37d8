import Foundation
import RepriseTestSeeds

/// Processes of every kind at work in one store at the same time: two that count, two that type at desks, two that show
/// scenes, two that show scenes with an object that these share, two that edit the rows of a server, and two who come
/// for a moment to look, checkpoint, verify or check; any of them may bring newer models. Each is killed or stopped at
/// any time, its start included, and followed by another one.
struct Storm {
  private static let allParts = [
    ("write", "a"), ("write", "b"), ("type", ""), ("type", ""), ("show", ""), ("show", ""), ("share", ""),
    ("share", ""), ("sync", "s0"), ("sync", "s1"), ("visit", "v0"), ("visit", "v1"),
  ]

  /// Who comes in addition where more processes are wanted, again and again.
  private static let crowd = [("type", ""), ("show", ""), ("share", ""), ("type", ""), ("show", "")]

  private let path: String
  private let parts: [(part: String, name: String)]
  private let canary: String
  /// Whether the store shares a log in a folder beside it.
  private let isShared: Bool
  /// Seconds without a word of a process before it is said to hang.
  private let silence: Double
  private let lines: Lines
  private var random: SeededGenerator
  private var seats: [Seat?]
  private var lastNumber = 0
  /// How many versions of the models there were.
  private var versions = 0
  private(set) var ledger = Ledger()
  private var claims = ClaimLedger()
  private var hasClosed = false
  private(set) var kills = 0
  private(set) var stops = 0
  /// How many were killed at a write of their own.
  private(set) var deaths = 0
  /// How many said nothing before they were killed.
  private(set) var mute = 0

  private struct Seat {
    let child: Child
    let number: Int
    var heard = Date()
    var words = 0
    var isStopped = false
    var blow: Blow
  }

  private struct Blow {
    enum Kind {
      case kill
      case stop
      case proceed
    }

    let kind: Kind
    /// Not before so many words, which a process that hangs does not say.
    var words = 0
    let time: Date
  }

  /// - Parameters:
  ///   - part: The only one that is played, by many.
  ///   - processes: How many there are at a time, if that is more than usual.
  init(
    _ path: String, seed: UInt64, only part: String? = nil, processes: Int = 0, isShared: Bool = false,
    canary: String = "", silence: Double = 60
  ) throws {
    self.path = path
    let more = (0..<max(0, processes - Self.allParts.count)).map { Self.crowd[$0 % Self.crowd.count] }
    parts = part.map { part in (0..<6).map { (part, "s\($0)") } } ?? Self.allParts + more
    self.canary = canary
    self.isShared = isShared
    self.silence = silence
    random = SeededGenerator(seed: seed)
    lines = try Lines()
    seats = Array(repeating: nil, count: parts.count)
  }

  var problems: [String] { ledger.problems }

  /// Kills so often, or until something is wrong; then looks at what is left.
  mutating func rage(_ limit: Int) throws {
    try makeStore()
    while kills < limit && problems.isEmpty {
      for place in seats.indices where seats[place] == nil { seats[place] = try spawn(parts[place]) }
      guard let place = seats.indices.min(by: { due($0) < due($1) }) else { return }
      // A word may make another one due.
      let time = min(due(place), Date(timeIntervalSinceNow: 0.02))
      while time > Date(), let line = lines.next(until: time) { hear(line) }
      if due(place) <= Date() { strike(place) }
      lookForEnded()
      lookForHanging()
    }
    for place in seats.indices { kill(place) }
    guard problems.isEmpty else { return }
    for _ in 0..<2 { try tally() }
  }

  // MARK: Beginning and end

  private mutating func makeStore() throws {
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let child = try Child("open", path)
      _ = child.line(until: Date(timeIntervalSinceNow: .random(in: 0...0.02, using: &random)))
      child.kill()
    }
    try play("prepare")
  }

  /// Whoever comes when all are dead finds everything.
  private mutating func tally() throws {
    hasClosed = false
    try play("tally")
    if problems.isEmpty && !hasClosed { wrong("the tally is not complete") }
  }

  /// A process that nobody disturbs.
  private mutating func play(_ part: String) throws {
    var seat = try spawn((part, ""))
    while seat.child.end(waiting: false) == nil {
      if Date().timeIntervalSince(seat.heard) > silence {
        seat.child.kill()
        return wrong("\(part) hangs")
      }
      guard let line = lines.next(until: Date(timeIntervalSinceNow: 0.05)) else { continue }
      if !line.contains(" beat ") { seat.heard = Date() }
      hear(line)
    }
    hearAll()
    if seat.child.end() != .exited(0) { wrong("\(part) \(seat.child.end())") }
    claims.isDead(seat.number)
    ledger.isDead(seat.number)
  }

  private mutating func spawn(_ part: (part: String, name: String)) throws -> Seat {
    lastNumber += 1
    let version = Int.random(in: 0...min(versions + 1, 12), using: &random)
    versions = max(versions, version)
    let seed = Int.random(in: 0...Int.max, using: &random)
    let child = try Child(
      "storm", path,
      [
        "part": part.part, "name": part.name, "number": "\(lastNumber)", "seed": "\(seed)", "extras": "\(version)",
        "canary": canary, "shares": isShared ? "yes" : "no",
      ], into: lines)
    return Seat(child: child, number: lastNumber, blow: firstBlow())
  }

  // MARK: Blows

  private mutating func firstBlow() -> Blow {
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<2: blow(.kill, 0...0.03)
    case 2: blow(.stop, 0...0.03)
    case 3: blow(.stop, 0.03...0.8)
    case 4..<6: blow(.kill, 0.03...1.8)
    default:
      Blow(
        kind: .kill, words: Int.random(in: 1...100, using: &random), time: Date())
    }
  }

  private mutating func blow(_ kind: Blow.Kind, _ seconds: ClosedRange<Double>) -> Blow {
    Blow(kind: kind, time: Date(timeIntervalSinceNow: .random(in: seconds, using: &random)))
  }

  private func due(_ place: Int) -> Date {
    guard let seat = seats[place], seat.words >= seat.blow.words else { return .distantFuture }
    return seat.blow.time
  }

  private mutating func strike(_ place: Int) {
    guard let seat = seats[place] else { return }
    switch seat.blow.kind {
    case .kill:
      kills += 1
      if seat.words == 0 { mute += 1 }
      kill(place)
    case .stop:
      stops += 1
      seat.child.stop()
      seats[place]?.isStopped = true
      let isLast = Int.random(in: 0..<4, using: &random) == 0
      let next = blow(isLast ? .kill : .proceed, 0.001...0.4)
      seats[place]?.blow = next
    case .proceed:
      seat.child.proceed()
      seats[place]?.isStopped = false
      // Others may have waited for it.
      for place in seats.indices { seats[place]?.heard = Date() }
      let next = blow(.kill, 0...1)
      seats[place]?.blow = next
    }
  }

  private mutating func kill(_ place: Int) {
    guard let seat = seats[place] else { return }
    say("dying \(seat.number)")
    seat.child.kill()
    ended(place, seat)
  }

  private mutating func lookForEnded() {
    for place in seats.indices {
      guard let seat = seats[place], let ending = seat.child.end(waiting: false) else { continue }
      if ending == .signalled(SIGKILL) { deaths += 1 }
      ended(place, seat)
    }
  }

  private mutating func ended(_ place: Int, _ seat: Seat) {
    say("dead \(seat.number)")
    if ![.signalled(SIGKILL), .exited(0)].contains(seat.child.end()) {
      wrong("\(seat.number), who was to \(parts[place].part), \(seat.child.end()) by itself")
    }
    seats[place] = nil
  }

  private mutating func lookForHanging() {
    for (place, seat) in seats.enumerated() {
      guard let seat, !seat.isStopped, Date().timeIntervalSince(seat.heard) > silence else { continue }
      wrong("\(seat.number), who is to \(parts[place].part), hangs")
    }
  }

  // MARK: Hearing

  /// Says something where all are heard, so that it is known what was said before.
  private mutating func say(_ line: String) {
    // There is room for it then.
    hearAll()
    lines.say("0 \(line)")
  }

  private mutating func hearAll() { while let line = lines.next(until: .distantPast) { hear(line) } }

  private mutating func hear(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let number = Int(words[0]) else { return wrong(line) }
    let said = String(words[1])
    if said == "dying" { return claims.isDying(number) }
    if number == 0 {
      guard let other = said.split(separator: " ").last.flatMap({ Int($0) }) else { return }
      if said.hasPrefix("dying") {
        claims.isDying(other)
      } else {
        claims.isDead(other)
        ledger.isDead(other)
      }
      return
    }
    if !said.hasPrefix("beat "), let place = seats.firstIndex(where: { $0?.number == number }) {
      seats[place]?.heard = Date()
      seats[place]?.words += 1
    }
    if said == "closed" { hasClosed = true }
    if let problem = claims.hear(said, from: number) { wrong(problem) }
    ledger.hear(said, from: number)
  }

  private mutating func wrong(_ what: String) { ledger.hear("problem \(what)") }
}
