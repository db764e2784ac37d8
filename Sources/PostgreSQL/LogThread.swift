#if PostgreSQL && canImport(CReprisePostgreSQL)
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread that may block. Swift's pool has only one thread for each core.
final class LogThread: Sendable {
  private struct State {
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let interrupt: LogInterrupt
  private let state = Mutex(State())

  /// Starts a thread that runs `body`, until ``end()`` interrupts it. `nil` if the system refuses.
  init?(_ body: @escaping @Sendable (LogInterrupt) -> Void) {
    guard let interrupt = LogInterrupt() else { return nil }
    self.interrupt = interrupt
    let isStarted = startThread { [self] in
      body(interrupt)
      let waiters = state.withLock { state in
        state.hasEnded = true
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
    if !isStarted { return nil }
  }

  func wake() { interrupt.wake() }

  func end() { interrupt.end() }

  /// Waits until the thread has ended.
  func join() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs `body` on a new thread. False if the system cannot start one.
private func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  let context = Unmanaged.passRetained(ThreadBody(body))
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  #if canImport(Darwin)
  var thread: pthread_t?
  let code = pthread_create(
    &thread, &attributes,
    {
      Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().run()
      return nil
    }, context.toOpaque())
  #else
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    {
      if let context = $0 { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }, context.toOpaque())
  #endif
  if code != 0 { context.release() }
  return code == 0
}
#endif
