/// How often, and after what time, a server is asked again that does not answer.
public struct RemoteRetry: Hashable, Sendable {
  /// How often one call asks, the first time included.
  public var attempts = 3
  /// How long it waits before the second time; twice as long before each further one, up to half of it at random less,
  /// so that not all clients come back at once.
  public var firstDelay: Duration = .milliseconds(500)
  /// The longest that it waits by itself.
  public var longestDelay: Duration = .seconds(300)
  /// The longest that one call waits for the server: where it asks for more (`Retry-After`), the call fails, and so
  /// does any other until then, without asking.
  public var patience: Duration = .seconds(10)
  /// The longest `Retry-After` that counts. A server that asks for more is asked again after this time: its clock may
  /// be wrong, and nothing else would end that.
  public var longestRetryAfter: Duration = .seconds(3_600)

  /// Three times, within seconds.
  public init() {}

  /// The delay after so many attempts in vain.
  func delay(after attempts: Int) -> Duration {
    var delay = firstDelay
    for _ in 1..<max(1, min(attempts, 30)) where delay < longestDelay { delay *= 2 }
    return min(delay, longestDelay) * Double.random(in: 0.5...1)
  }
}

/// A clock that can be another one in tests.
struct RemoteClock: Sendable {
  /// Since some moment.
  let now: @Sendable () -> Duration
  let sleep: @Sendable (Duration) async throws -> Void

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }
}
