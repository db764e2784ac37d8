import RepriseRestoration

/// Something that becomes ready when the test says so.
@MainActor final class Gate {
  private var waiters: [CheckedContinuation<Shelf, any Error>] = []
  private var result: Result<Shelf, any Error>?
  func value() async throws -> Shelf {
    if let result { return try result.get() }
    return try await withCheckedThrowingContinuation { waiters.append($0) }
  }
  func open(_ result: Result<Shelf, any Error>) {
    self.result = result
    for waiter in waiters { waiter.resume(with: result) }
    waiters = []
  }
}

/// A clock that stands until the test moves it.
@MainActor final class Clock {
  private var now = Duration.zero
  private var sleepers: [(until: Duration, CheckedContinuation<Void, Never>)] = []

  func sleep(_ time: Duration) async {
    let until = now + time
    await withCheckedContinuation { sleepers.append((until, $0)) }
  }

  /// Moves on, once `count` are asleep, and lets those that wake do what they want to.
  func advance(_ time: Duration, waking count: Int = 1) async {
    while sleepers.count < count { await Task.yield() }
    now += time
    let awake = sleepers.filter { $0.until <= now }
    sleepers.removeAll { $0.until <= now }
    for sleeper in awake { sleeper.1.resume() }
    for _ in 0..<20 { await Task.yield() }
  }
}
