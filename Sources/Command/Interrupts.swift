#if Command
import Foundation
import RepriseSystem

/// Ctrl-C: ends a task that can be cancelled, and otherwise the process with status 130.
enum Interrupts {
  private static let handler = Guarded<(@Sendable () -> Void)?>(nil)

  /// Receives the signal on a thread from now on. Called before the process has other threads, because they take over
  /// the mask of this one.
  static func begin() {
    var present = sigaction()
    // A shell ignores the signal for programs in the background.
    if sigaction(SIGINT, nil, &present) != 0 || isIgnored(present) { return }
    var blocked = signals()
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    Thread.detachNewThread {
      var (wanted, signal): (sigset_t, Int32) = (signals(), 0)
      while true { if sigwait(&wanted, &signal) == 0 { received() } }
    }
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
    let handler = action.__sigaction_u.__sa_handler
    #else
    let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func signals() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    return set
  }

  private static func received() {
    if let cancel = handler.withLock({ current in
      defer { current = nil }
      return current
    }) {
      return cancel()
    }
    ProgressBar.clear()
    // Another thread may be within a write, so nothing is flushed.
    _exit(130)
  }

  /// Leaves the signal to the pager, which shows the rest of the output.
  static func leaveToPager() {
    signal(SIGINT, SIG_IGN)
    var ignored = signals()
    pthread_sigmask(SIG_UNBLOCK, &ignored, nil)
  }

  /// Runs `body` in a task that the first signal cancels. A second signal ends the process.
  @MainActor
  static func cancelling(_ body: @MainActor @escaping () async throws -> Void) async throws {
    let task = Task { @MainActor in try await body() }
    handler.withLock { $0 = { task.cancel() } }
    defer { handler.withLock { $0 = nil } }
    try await task.value
  }
}
#endif
