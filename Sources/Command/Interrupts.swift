#if Command
import Foundation
import RepriseCore
import RepriseSystem
import RepriseTool

/// Ctrl-C and other signals that end a program: cancel a task that supports it, and otherwise leave the terminal clean.
/// Then the signal ends the process, so that a shell reports 130 for Ctrl-C.
enum Interrupts {
  private struct State {
    var cancel: (@Sendable () -> Void)?
    /// The copy that the command is making.
    var copy: String?
    var pager: PagerProcess?
  }

  private static let state = Guarded(State())
  private static let hasEnded = DispatchSemaphore(value: 0)

  static func begin() {
    TerminationSignals.onArrival {
      if let pager = state.withLock({ $0.pager }) { return pager.stopAndWait() }
      if let cancel = state.withLock({ $0.cancel }) {
        cancel()
        // The task may still write. A second signal ends the process.
        hasEnded.wait()
      }
      ProgressBar.clear()
      let error = ToolError.interrupted(copy: state.withLock { $0.copy })
      FileHandle.standardError.write(Data("\n\(error)\n".utf8))
    }
  }

  /// Ends the process by the signal that cancelled its task.
  static func end() async throws {
    hasEnded.signal()
    try await Task.sleep(for: .seconds(3_600))
  }

  /// As in git, a signal ends the command only after the pager, which needs the terminal. Further signals are the
  /// pager's alone.
  static func wait(for pager: PagerProcess) {
    TerminationSignals.ignoreLaterSignals()
    state.withLock { $0.pager = pager }
  }

  /// Runs `body` in a task that the first signal cancels.
  @MainActor
  static func cancelling<Result: Sendable>(_ body: @MainActor @escaping () async throws -> Result) async throws
    -> Result
  {
    let task = Task { @MainActor in try await body() }
    state.withLock { $0.cancel = { task.cancel() } }
    defer { state.withLock { $0.cancel = nil } }
    return try await task.value
  }

  /// Runs `body`, which makes a copy at a path. If a signal ends the process, a message names the copy.
  nonisolated(nonsending) static func making<Result>(
    copy path: String, _ body: () async throws -> Result
  ) async throws -> Result {
    state.withLock { $0.copy = path }
    defer { state.withLock { $0.copy = nil } }
    do { return try await body() } catch StoreError.notFound(let missing) where missing == path {
      throw ToolError.cannotCopy(to: path)
    } catch StoreError.notAStore(let other, _) where other == path {
      throw ToolError.copyExists(at: path)
    }
  }
}
#endif
