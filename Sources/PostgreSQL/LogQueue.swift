#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseCore
import RepriseSharing
import Synchronization

/// Runs the calls of one session on its thread, one after the other.
final class LogQueue: Sendable {
  private struct State {
    var jobs: [@Sendable (LogSession) -> Void] = []
    var isEnding = false
  }

  private final class Jobs: Sendable {
    let state = Mutex(State())

    func work(_ session: LogSession, _ interrupt: LogInterrupt) {
      while true {
        let (job, isEnding) = state.withLock { state in
          (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isEnding)
        }
        if let job {
          job(session)
        } else if isEnding {
          return session.close()
        } else {
          _ = interrupt.wait(-1, for: 0, until: nil)
        }
      }
    }
  }

  private let jobs = Jobs()
  private let thread: LogThread

  /// `nil` if the system cannot start a thread.
  init?(_ replication: PostgreSQLReplication) {
    let jobs = jobs
    let thread = LogThread { interrupt in jobs.work(LogSession(replication, interrupt), interrupt) }
    guard let thread else { return nil }
    self.thread = thread
  }

  deinit { end() }

  /// Runs `body` on the thread, after the calls before. `nil` if the session was ended.
  func run<Value: Sendable>(_ body: @escaping @Sendable (LogSession) -> Value) async -> Value? {
    await withCheckedContinuation { continuation in
      let isAccepted = jobs.state.withLock { state in
        if state.isEnding { return false }
        state.jobs.append { continuation.resume(returning: body($0)) }
        return true
      }
      if isAccepted { thread.wake() } else { continuation.resume(returning: nil) }
    }
  }

  /// Ends the session, and a call that waits for the server.
  func end() {
    jobs.state.withLock { $0.isEnding = true }
    thread.end()
  }

  func join() async { await thread.join() }
}
#endif
