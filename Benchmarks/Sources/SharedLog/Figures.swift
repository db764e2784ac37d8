import Foundation

/// Prints a row: its name, the figure, and the target of it.
func row(_ name: String, _ figure: String, target: String) {
  func padded(_ text: String, _ width: Int) -> String { text.padding(toLength: width, withPad: " ", startingAt: 0) }
  print(padded(name, 40) + padded(figure, 36) + target)
}

func milliseconds(_ time: Duration) -> String { String(format: "%.2f ms", time / .milliseconds(1)) }

extension [Duration] {
  /// The duration that the given share of all durations does not exceed.
  func quantile(_ share: Double) -> Duration {
    guard !isEmpty else { return .zero }
    return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
  }

  var median: Duration { quantile(0.5) }
}

/// Runs a closure, and returns its duration.
func timed(_ body: () async throws -> Void) async rethrows -> Duration {
  let start = ContinuousClock.now
  try await body()
  return .now - start
}
