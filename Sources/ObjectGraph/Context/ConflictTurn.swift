import RepriseEventStore

/// The turn for which a write, or a batch of a background context, waits after its first conflict with other saves.
struct ConflictTurn {
  private let writer: LogWriter
  private let task: Int
  private var isHeld = false

  init(in store: Store) {
    writer = store.writer
    task = withUnsafeCurrentTask { $0?.hashValue ?? 0 }
  }

  /// Waits before the first run while a write that was overtaken in its turn keeps other writes from beginning.
  ///
  /// - Throws: `CancellationError`.
  nonisolated(nonsending) func begin() async throws(CancellationError) { try await writer.waitAtGate(task) }

  /// Waits before a further run: for the turn, or, if another save overtook this write in its turn, for a random time.
  ///
  /// - Parameters:
  ///   - attempt: The number of runs so far.
  ///   - pause: Waits for a random time.
  /// - Throws: `CancellationError`.
  nonisolated(nonsending)
    mutating func wait(
      after attempt: Int, _ pause: nonisolated(nonsending) (Int) async throws -> Void = Self.pause
    ) async throws
  {
    if isHeld {
      writer.closeGate()
    } else {
      isHeld = try await writer.waitForTurn(task)
      if isHeld { return }
    }
    try await pause(attempt)
  }

  func end() { if isHeld { writer.passTurn() } }

  /// Waits for a random time, which grows with the number of runs.
  nonisolated(nonsending) static func pause(_ attempt: Int) async throws {
    let most = min(100_000, 500 << min(attempt, 8))
    try await Task.sleep(for: .microseconds(Int.random(in: 0...most)))
  }
}
