import RepriseSystem

/// Runs asynchronous work in sequence. If exchanges with the server overlapped, a page read before a change was sent,
/// but applied after it was accepted, would undo the change until the next refresh.
final class RemoteTurns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Guarded(State())

  func inTurn<Result>(_ body: () async throws -> Result) async throws -> Result {
    while let turn = wait() {
      for await _ in turn { break }
      try Task.checkCancellation()
    }
    defer { end() }
    return try await body()
  }

  /// `nil` if it is the caller's turn.
  private func wait() -> AsyncStream<Void>? {
    state.withLock { state in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      let (turn, continuation) = AsyncStream<Void>.makeStream()
      state.waiting.append(continuation)
      return turn
    }
  }

  private func end() {
    let waiting = state.withLock { state in
      state.isTaken = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.yield() }
  }
}
