#if Command
import Foundation
import RepriseSystem
import RepriseTool

/// The progress of a long call on the terminal, after a second. Scripts see none.
enum ProgressBar {
  /// The seconds before the progress is shown. `GIT_PROGRESS_DELAY` does the same for git.
  private static let delay = ProcessInfo.processInfo.environment["REPRISE_PROGRESS_DELAY"].flatMap(Double.init) ?? 1

  private struct State {
    var line: ProgressLine?
    var label = ""
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
    begin(label)
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

  private static func begin(_ label: String) {
    let line = ProgressLine(label, columns: Columns.of(STDERR_FILENO) ?? 80, delay: delay)
    state.withLock { $0 = State(line: line, label: label) }
    draw()
  }

  /// Shows another label and another part from now on, if the progress is shown.
  static func go(on label: String, _ fraction: Double) {
    let isNew = state.withLock { state in
      guard state.line != nil else { return false }
      state.fraction = fraction
      return state.label != label
    }
    if isNew { begin(label) }
  }

  /// Runs `body`, which asks the user, without the progress. Then the next label begins.
  static func paused<Result>(_ next: String, _ body: () throws -> Result) rethrows -> Result {
    let isOn = state.withLock { $0.line != nil }
    clear()
    defer { if isOn { begin(next) } }
    return try body()
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
