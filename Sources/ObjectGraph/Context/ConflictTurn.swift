import RepriseEventStore
import Synchronization

/// The turn for which a write, or a batch of a background context, waits after its first conflict with other saves.
struct ConflictTurn {
  /// The writes whose closures are running, from the outermost to the innermost. Tasks that a closure makes inherit it.
  @TaskLocal private static var running: [Int] = []
  private static let lastWrite = Atomic<Int>(0)

  private let writer: LogWriter
  private let write = WriteTurns.Write(
    id: lastWrite.add(1, ordering: .relaxed).newValue, enclosing: running)
  private var isHeld = false

  init(in store: Store) { writer = store.writer }

  /// Runs the closure of the write.
  nonisolated(nonsending)
    func run<Success>(_ body: nonisolated(nonsending) () async throws -> sending Success) async throws
    -> sending Success
  {
    try await Self.$running.withValue(write.enclosing + [write.id]) { Given(value: try await body()) }.value
  }

  // Safe: `body` gives its result away, so only `run` refers to it. `withValue` cannot return it as `sending`.
  private struct Given<Value>: @unchecked Sendable { let value: Value }

  /// Waits before the first run while a write that was overtaken in its turn keeps other writes from beginning.
  ///
  /// - Throws: `CancellationError`.
  nonisolated(nonsending) func begin() async throws(CancellationError) { try await writer.waitAtGate(write) }

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
      isHeld = try await writer.waitForTurn(write)
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
