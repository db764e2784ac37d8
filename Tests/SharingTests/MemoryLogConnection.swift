import RepriseObjectModel
import RepriseSharing
import RepriseSystem

/// The connection of one server to a ``MemoryLog``.
final class MemoryLogConnection: LogTransport {
  /// How an answer is lost.
  enum LostAnswer: Sendable {
    /// The packet is in the log, and the answer is `unknown`.
    case afterAppending
    /// The packet is not in the log, and the answer is `unknown`.
    case beforeAppending
    /// The packet is not in the log, and the call throws ``Disconnected``.
    case whileConnecting
  }

  /// The connection was lost before the call reached the log.
  struct Disconnected: Error {}

  private struct State {
    var log: UniqueID?
    var lost: [LostAnswer] = []
    var isConnected = true
    var isSilent = false
    var disconnectsAfterLostAnswer = false
  }

  private let log: MemoryLog
  private let state = Guarded(State())
  let hints: AsyncStream<Void>

  init(_ log: MemoryLog) {
    self.log = log
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    hints = stream
    log.listen(continuation)
  }

  /// The next append loses its answer. Several calls apply to the next appends in order.
  func loseNextAnswer(_ answer: LostAnswer) { state.withLock { $0.lost.append(answer) } }

  /// While it is false, all calls throw ``Disconnected``. Initially true.
  var isConnected: Bool {
    get { state.withLock { $0.isConnected } }
    set { state.withLock { $0.isConnected = newValue } }
  }

  /// While it is true, appends wait. Initially false.
  var isSilent: Bool {
    get { state.withLock { $0.isSilent } }
    set { state.withLock { $0.isSilent = newValue } }
  }

  /// Whether the connection is lost with an answer. Initially false.
  var disconnectsAfterLostAnswer: Bool {
    get { state.withLock { $0.disconnectsAfterLostAnswer } }
    set { state.withLock { $0.disconnectsAfterLostAnswer = newValue } }
  }

  private func attached() throws -> UniqueID {
    try state.withLock { state in
      guard state.isConnected, let log = state.log else { throw Disconnected() }
      return log
    }
  }

  func attach(to log: UniqueID) async throws -> LogStanding {
    try state.withLock { state in
      guard state.isConnected else { throw Disconnected() }
      state.log = log
    }
    return self.log.attach(to: log)
  }

  func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer {
    let id = try attached()
    while isSilent { try await Task.sleep(for: .milliseconds(1)) }
    let lost = state.withLock { state -> LostAnswer? in
      if state.lost.isEmpty { return nil }
      if state.disconnectsAfterLostAnswer { state.isConnected = false }
      return state.lost.removeFirst()
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

  func read(after place: LogPlace, limit: Int) async throws -> LogReading {
    log.read(try attached(), after: place, limit: limit)
  }

  func release(upTo place: LogPlace) async throws { log.release(try attached(), upTo: place) }
}
