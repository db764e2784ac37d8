public import RepriseCore
public import RepriseSharing
import RepriseSystem

/// The connection of one server to a ``MemoryLog``.
public final class MemoryLogConnection: LogTransport {
  /// How an answer to an append is lost.
  public enum LostAnswer: Sendable {
    /// The packet is in the log, and the answer is `unknown`.
    case afterAppending
    /// The packet is not in the log, and the answer is `unknown`.
    case beforeAppending
    /// The packet is not in the log, and the call throws ``Disconnected``.
    case whileConnecting
  }

  /// The connection was lost before the call reached the log.
  public struct Disconnected: Error {
    /// Makes the error.
    public init() {}
  }

  private struct State {
    var log: UniqueID?
    var lost: [LostAnswer] = []
    var isConnected = true
    var holdsAnswers = false
    var disconnectsAfterLostAnswer = false
    var listeners: [AsyncStream<Void>.Continuation] = []
  }

  private let log: MemoryLog
  private let state = Guarded(State())

  init(_ log: MemoryLog) { self.log = log }

  deinit { end() }

  /// The next append loses its answer. Several calls apply to the next appends in order.
  public func loseNextAnswer(_ answer: LostAnswer) { state.withLock { $0.lost.append(answer) } }

  /// The next appends lose no answers.
  package func keepAnswers() { state.withLock { $0.lost = [] } }

  /// While it is false, all calls throw ``Disconnected``. Initially true.
  public var isConnected: Bool {
    get { state.withLock { $0.isConnected } }
    set { state.withLock { $0.isConnected = newValue } }
  }

  /// While it is true, appends wait for their answers. Initially false.
  public var holdsAnswers: Bool {
    get { state.withLock { $0.holdsAnswers } }
    set { state.withLock { $0.holdsAnswers = newValue } }
  }

  /// Whether the connection is lost with an answer. Initially false.
  public var disconnectsAfterLostAnswer: Bool {
    get { state.withLock { $0.disconnectsAfterLostAnswer } }
    set { state.withLock { $0.disconnectsAfterLostAnswer = newValue } }
  }

  private func attached() throws -> UniqueID {
    try state.withLock { state in
      guard state.isConnected, let log = state.log else { throw Disconnected() }
      return log
    }
  }

  /// Connects to the log in memory. Throws ``Disconnected`` while ``isConnected`` is false, as all calls do.
  public func attach(to log: UniqueID) async throws -> LogStanding {
    try state.withLock { state in
      guard state.isConnected else { throw Disconnected() }
      state.log = log
    }
    return self.log.attach(to: log)
  }

  /// Appends a packet at once, unless the answer shall be lost or held.
  public func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer {
    let id = try attached()
    let lost = state.withLock { state -> LostAnswer? in
      if state.lost.isEmpty { return nil }
      if state.disconnectsAfterLostAnswer { state.isConnected = false }
      return state.lost.removeFirst()
    }
    while holdsAnswers {
      if (try? await Task.sleep(for: .milliseconds(1))) == nil || (try? attached()) == nil { return .unknown }
    }
    switch lost {
    case .whileConnecting: throw Disconnected()
    case .beforeAppending: return .unknown
    case .afterAppending:
      _ = log.append(packet, to: id, after: place)
      return .unknown
    case nil: return log.append(packet, to: id, after: place)
    }
  }

  /// Reads packets. A page has at most `limit` packets, of any size.
  public func read(after place: LogPlace, limit: Int) async throws -> LogReading {
    log.read(try attached(), after: place, limit: limit)
  }

  /// A stream with an element after each append to the log.
  public func hints() -> AsyncStream<Void> {
    let (hints, listener) = log.listen()
    state.withLock { $0.listeners.append(listener) }
    return hints
  }

  /// Waits up to 200 milliseconds for the turn.
  public func takeTurn() async throws -> Bool {
    for _ in 0..<200 {
      if log.takeTurn(ObjectIdentifier(self), in: try attached()) { return true }
      try await Task.sleep(for: .milliseconds(1))
    }
    return false
  }

  /// Gives the turn back.
  public func endTurn() async throws { log.endTurn(ObjectIdentifier(self)) }

  /// Removes packets, and keeps their IDs.
  public func release(upTo place: LogPlace) async throws { log.release(try attached(), upTo: place) }

  /// Ends the connection. An append that waits for its answer gets `unknown`.
  public func detach() async {
    state.withLock { $0.log = nil }
    end()
  }

  private func end() {
    log.endTurn(ObjectIdentifier(self))
    let listeners = state.withLock { state in
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in listeners { listener.finish() }
  }
}
