#if Command
import Foundation
import RepriseSystem
import RepriseTool

/// The progress of a long call on the terminal, from its second second on. Scripts see none.
enum ProgressBar {
  private struct State {
    var line: ProgressLine?
    var fraction: Double?
    var start = ContinuousClock.now
    var isShown = false
  }

  private static let state = Guarded(State())

  /// Shows the progress of `body`, which may report the finished part.
  nonisolated(nonsending) static func show<Result>(
    _ label: String, _ body: (@escaping @Sendable (Double) -> Void) async throws -> Result
  ) async throws -> Result {
    guard isatty(STDERR_FILENO) != 0 else { return try await body { _ in } }
    state.withLock { $0 = State(line: ProgressLine(label, columns: Columns.of(STDERR_FILENO) ?? 80)) }
    let timer = Task.detached {
      while !Task.isCancelled {
        try await Task.sleep(for: .milliseconds(200))
        draw()
      }
    }
    defer {
      timer.cancel()
      clear()
    }
    return try await body { fraction in state.withLock { $0.fraction = fraction } }
  }

  private static func draw() {
    state.withLock { state in
      let elapsed = (ContinuousClock.now - state.start) / .seconds(1)
      guard let text = state.line?.text(fraction: state.fraction, seconds: elapsed) else { return }
      FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
      state.isShown = true
    }
  }

  /// Removes the progress from the terminal for good.
  static func clear() {
    state.withLock { state in
      if state.isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
      (state.line, state.isShown) = (nil, false)
    }
  }
}
#endif
