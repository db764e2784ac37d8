#if Macros
import Synchronization

// swift-log and swift-metrics as far as the manual needs them, with their signatures. Tests read the output.

struct Logger: Sendable {
  struct Message: ExpressibleByStringInterpolation, Sendable {
    let text: String
    init(stringLiteral value: String) { text = value }
  }

  enum Level: String { case info, warning, error }

  let label: String
  private let lines = LoggedLines()

  var output: [String] { lines.all.withLock { $0 } }

  func log(level: Level, _ message: @autoclosure () -> Message) {
    let line = "\(level.rawValue) \(message().text)"
    lines.all.withLock { $0.append(line) }
  }
  func info(_ message: @autoclosure () -> Message) { log(level: .info, message()) }
  func warning(_ message: @autoclosure () -> Message) { log(level: .warning, message()) }
  func error(_ message: @autoclosure () -> Message) { log(level: .error, message()) }

  init(label: String) { self.label = label }
}

private final class LoggedLines: Sendable {
  let all = Mutex<[String]>([])
}

/// The values of all counters and gauges by label, since the last test.
let metrics = Mutex<[String: Double]>([:])

final class Counter {
  private let label: String
  init(label: String, dimensions: [(String, String)] = []) { self.label = label }
  func increment() { increment(by: 1) }
  func increment(by amount: some BinaryInteger) { metrics.withLock { $0[label, default: 0] += Double(amount) } }
}

final class Gauge {
  private let label: String
  init(label: String, dimensions: [(String, String)] = []) { self.label = label }
  func record(_ value: some BinaryInteger) { metrics.withLock { $0[label] = Double(value) } }
}
#endif
