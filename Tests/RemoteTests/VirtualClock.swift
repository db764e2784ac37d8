import Synchronization

/// A clock whose time passes only while somebody sleeps, and then at once.
final class VirtualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var time: Duration
    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  private let state = Mutex((now: Instant(time: .zero), sleeps: [Duration]()))

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }
  /// How long each sleep was.
  var sleeps: [Duration] { state.withLock { $0.sleeps } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.withLock { state in
      state.sleeps.append(state.now.duration(to: deadline))
      state.now = max(state.now, deadline)
    }
    await Task.yield()
  }

  func advance(by duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }
}
