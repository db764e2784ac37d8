/// The order of the further runs of conflicting writes: one at a time, in the order of their first conflict. So each of
/// many writes to the same object has its turn. Otherwise, a fast write could overtake a slow one again and again.
///
/// If first runs of later writes overtake the write that has the turn, the gate closes: no write begins until that
/// write is done.
package struct WriteTurns: Sendable {
  /// The line where a write waits.
  package enum Line: Sendable {
    /// The line for the turn.
    case turn
    /// The line before the first run of a write.
    case gate
  }

  /// How a wait ended.
  package enum Outcome: Sendable {
    /// The write continues. It has the turn if it waited for the turn.
    case passed
    /// The write continues without the turn, because it need not wait or has waited too long.
    case withoutTurn
    case cancelled
  }

  package struct Write: Sendable {
    package let id: Int
    /// The writes within whose closures this write was called.
    package let enclosing: [Int]

    package init(id: Int, enclosing: [Int]) { (self.id, self.enclosing) = (id, enclosing) }
  }

  struct Waiting: Sendable {
    let id: Int
    /// The write that waits.
    let write: Int
    let continuation: CheckedContinuation<Outcome, Never>
  }

  /// The write that has the turn.
  private(set) var holder: Int?
  private var isGateClosed = false
  private var forTurn: [Waiting] = []
  private var atGate: [Waiting] = []
  private var lastID = 0

  package init() {}

  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  /// The outcome for a write that need not wait. `nil` if it must.
  package mutating func enter(_ line: Line, _ write: Write) -> Outcome? {
    // The closure that has the turn may wait for this write.
    if let holder, write.enclosing.contains(holder) { return .withoutTurn }
    switch line {
    case .gate: return isGateClosed ? nil : .passed
    case .turn:
      guard holder == nil else { return nil }
      holder = write.id
      return .passed
    }
  }

  mutating func add(_ waiting: Waiting, to line: Line) {
    switch line {
    case .turn: forTurn.append(waiting)
    case .gate: atGate.append(waiting)
    }
  }

  mutating func remove(_ id: Int) -> Waiting? {
    if let place = forTurn.firstIndex(where: { $0.id == id }) { return forTurn.remove(at: place) }
    return atGate.firstIndex { $0.id == id }.map { atGate.remove(at: $0) }
  }

  mutating func closeGate() { isGateClosed = true }

  /// Gives the turn to the next write and opens the gate. Returns the writes that continue.
  mutating func pass() -> [Waiting] {
    isGateClosed = false
    var released = atGate
    atGate = []
    holder = forTurn.first?.write
    if !forTurn.isEmpty { released.append(forTurn.removeFirst()) }
    return released
  }
}

extension LogWriter {
  /// Waits in a line if the write must.
  ///
  /// - Parameter limit: The longest wait. A body that waits for another write would otherwise wait for ever.
  nonisolated(nonsending)
    func wait(in line: WriteTurns.Line, _ write: WriteTurns.Write, atMost limit: Duration) async -> WriteTurns.Outcome
  {
    let (outcome, id) = queue.withLock { queue in (queue.turns.enter(line, write), queue.turns.nextID()) }
    if let outcome { return outcome }
    let timer = Task {
      try? await Task.sleep(for: limit)
      end(id, .withoutTurn)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome: WriteTurns.Outcome? = queue.withLock { queue in
          if Task.isCancelled { return .cancelled }
          if let outcome = queue.turns.enter(line, write) { return outcome }
          queue.turns.add(WriteTurns.Waiting(id: id, write: write.id, continuation: continuation), to: line)
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      end(id, .cancelled)
    }
  }

  private func end(_ id: Int, _ outcome: WriteTurns.Outcome) {
    queue.withLock { $0.turns.remove(id) }?.continuation.resume(returning: outcome)
  }

  /// Keeps other writes from beginning until the write that has the turn is done.
  package func closeGate() { queue.withLock { $0.turns.closeGate() } }

  /// Ends the turn of a write.
  package func passTurn() {
    for waiting in queue.withLock({ $0.turns.pass() }) { waiting.continuation.resume(returning: .passed) }
  }
}

extension LogWriter {
  /// Waits before the first run of a write while the gate is closed.
  nonisolated(nonsending) package func waitAtGate(_ write: WriteTurns.Write) async throws(CancellationError) {
    if await wait(in: .gate, write, atMost: .seconds(1)) == .cancelled { throw CancellationError() }
  }

  /// Waits for the turn of a write that was in conflict. False if the write continues without the turn.
  nonisolated(nonsending) package func waitForTurn(_ write: WriteTurns.Write) async throws(CancellationError) -> Bool {
    switch await wait(in: .turn, write, atMost: .seconds(10)) {
    case .passed: true
    case .withoutTurn: false
    case .cancelled: throw CancellationError()
    }
  }
}
