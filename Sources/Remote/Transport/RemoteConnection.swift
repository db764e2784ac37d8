import RepriseSystem

/// The connection to a server. It retries requests that got no answer, and respects the pauses that the server
/// requests.
final class RemoteConnection<Transport: RemoteTransport>: Sendable {
  private let transport: Transport
  private let retry: RemoteRetry
  let clock: RemoteClock
  /// The end of the server's pause.
  private let opening = Guarded<Duration?>(nil)

  init(_ transport: Transport, _ retry: RemoteRetry, _ clock: RemoteClock) {
    self.transport = transport
    self.retry = retry
    self.clock = clock
  }

  func read(_ request: RemoteRequest) async throws -> RemoteReading<Transport.Record> {
    try await asking { try await $0.read(request) }
  }

  func body(of change: RemoteChange<Transport.Record>) throws -> [UInt8]? { try transport.body(of: change) }

  func send(_ change: RemoteChange<Transport.Record>) async throws -> RemoteAnswer<Transport.Record> {
    try await asking { try await $0.send(change) }
  }

  private func asking<Answer>(_ body: (Transport) async throws -> Answer) async throws -> Answer {
    var attempts = 0
    while true {
      try Task.checkCancellation()
      try await waitForOpening()
      attempts += 1
      do {
        return try await body(transport)
      } catch RemoteError.unavailable(let reason, let wanted, let source) {
        let retryAfter = wanted.map { min($0, retry.longestRetryAfter) }
        if let retryAfter { opening.withLock { [now = clock.now()] in $0 = now + retryAfter } }
        guard attempts < retry.attempts else {
          throw RemoteError.unavailable(reason: reason, retryAfter: retryAfter, source: source)
        }
        if retryAfter == nil { try await clock.sleep(retry.delay(after: attempts)) }
      }
    }
  }

  private func waitForOpening() async throws {
    guard let opening = opening.withLock({ $0 }) else { return }
    let delay = opening - clock.now()
    guard delay > .zero else { return }
    guard delay <= retry.patience else {
      throw RemoteError.unavailable(reason: "the server asked for a pause (Retry-After)", retryAfter: delay)
    }
    try await clock.sleep(delay)
  }
}
