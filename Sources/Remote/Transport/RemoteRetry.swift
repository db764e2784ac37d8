/// How often, and when, a request is retried if the server does not answer.
public struct RemoteRetry: Hashable, Sendable {
  /// How often a request is tried, including the first attempt.
  public var attempts = 3
  /// The delay before the second attempt, doubled before each further one.
  ///
  /// At random, up to half of each delay is left out, so that not all clients return at the same time.
  public var firstDelay: Duration = .milliseconds(500)
  /// The longest delay between two attempts, unless the server asks for more.
  public var longestDelay: Duration = .seconds(300)
  /// The longest delay that a request accepts if the server asks for one (`Retry-After`).
  ///
  /// If the server asks for a longer delay, the request fails. Until the remaining delay is at most this long, all
  /// other requests also fail, and the source does not send them.
  public var patience: Duration = .seconds(10)
  /// The longest `Retry-After` that the source respects.
  ///
  /// If a server asks for a longer delay, the source waits only for this time, because the clock of the server may be
  /// wrong.
  public var longestRetryAfter: Duration = .seconds(3_600)

  /// Makes a policy of three attempts within seconds.
  public init() {}

  /// The delay after this many failed attempts.
  func delay(after attempts: Int) -> Duration {
    var delay = firstDelay
    for _ in 1..<max(1, min(attempts, 30)) where delay < longestDelay { delay *= 2 }
    return min(delay, longestDelay) * Double.random(in: 0.5...1)
  }
}

/// The clock of a source, which tests replace.
struct RemoteClock: Sendable {
  /// The time since any fixed moment.
  let now: @Sendable () -> Duration
  let sleep: @Sendable (Duration) async throws -> Void

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }
}
