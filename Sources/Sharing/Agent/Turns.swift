import RepriseSystem

/// When a server asks for its turn to append.
///
/// Without turns, servers that save at the same time lose most races, and each lost race costs a plan of the saves. A
/// turn is short, so that all servers have one often. All times are nanoseconds of ``WakeUp``.
struct Turns {
  /// The longest turn.
  private static let length: UInt64 = 40_000_000
  /// A turn ends early if the writer has nothing to append for so long.
  private static let idle: UInt64 = 2_000_000
  /// After a lost race, the server asks for turns for so long.
  private static let memory: UInt64 = 1_000_000_000

  private var wantedUntil: UInt64 = 0
  /// The end of the present turn. `nil` if the server does not have its turn.
  private(set) var end: UInt64?
  private var lastUse: UInt64 = 0
  /// Whether a writer plans its saves again. This may take longer than the idle time.
  private var isPlanning = false

  /// Whether the server should ask for its turn.
  var isDue: Bool { end == nil && WakeUp.now() < wantedUntil }

  /// Whether the server has a turn and should end it.
  var isOver: Bool {
    end.map { WakeUp.now() >= (isPlanning ? $0 : min($0, lastUse + Self.idle)) } ?? false
  }

  mutating func begin() {
    lastUse = WakeUp.now()
    end = lastUse + Self.length
  }

  mutating func didAppend() {
    lastUse = WakeUp.now()
    isPlanning = false
  }

  mutating func didLoseRace() {
    lastUse = WakeUp.now()
    wantedUntil = lastUse + Self.memory
    isPlanning = true
  }

  /// The turn has ended, or ended with the connection.
  mutating func lose() { end = nil }

  /// The time after which the turn may be over.
  static let pause = Duration.milliseconds(2)
}

extension SharedLog {
  /// Takes the turn of this server, if it has lost a race lately. Returns whether it got the turn just now.
  func takeTurnIfDue(_ connection: inout SharedLogConnection) async throws -> Bool {
    if connection.turns.isOver { try await endTurn(&connection) }
    guard connection.turns.isDue, try await transport.takeTurn() else { return false }
    connection.turns.begin()
    return true
  }

  /// Ends the turn if nothing is left to append, or looks again soon.
  func endTurnIfOver(_ connection: inout SharedLogConnection) async throws {
    guard connection.turns.end != nil else { return }
    if connection.turns.isOver { return try await endTurn(&connection) }
    let clock = options.clock
    _ = Task(executorPreference: executor) { [weak self] in
      try? await clock.sleep(for: Turns.pause)
      self?.state.withLock(\.run)?.event.yield()
    }
  }

  private func endTurn(_ connection: inout SharedLogConnection) async throws {
    connection.turns.lose()
    try await transport.endTurn()
  }
}
