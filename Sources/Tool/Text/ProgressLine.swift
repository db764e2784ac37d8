/// The progress of a call on one line: a bar if the finished part is known, and otherwise the time.
package struct ProgressLine: Sendable {
  private let label: String
  private let columns: Int
  private let delay: Double

  /// - Parameters:
  ///   - label: The work, as in "Copying".
  ///   - columns: The columns of the terminal.
  ///   - delay: The seconds without a line, because a short call needs no progress.
  package init(_ label: String, columns: Int, delay: Double = 1) {
    (self.label, self.columns, self.delay) = (PlainText.line(label), columns, delay)
  }

  /// The line. `nil` during the delay.
  ///
  /// - Parameter fraction: The finished part, from 0 to 1. `nil` if it is unknown.
  package func text(fraction: Double?, seconds: Double) -> String? {
    if seconds < delay { return nil }
    let time = Self.time(Int(seconds))
    guard let fraction, fraction.isFinite else { return fit("\(label), \(time)") }
    let part = min(1, max(0, fraction))
    let percent = String(Int(part * 100))
    let end = String(repeating: " ", count: 3 - percent.count) + "\(percent) %, \(time)"
    let width = min(30, columns - PlainText.width(label) - end.count - 5)
    if width < 5 { return fit("\(label) \(end)") }
    let done = Int(part * Double(width))
    let bar = String(repeating: "#", count: done) + String(repeating: "-", count: width - done)
    return "\(label) [\(bar)] \(end)"
  }

  // A full last column would begin another line on some terminals.
  private func fit(_ line: String) -> String { PlainText.cut(line, to: max(1, columns - 1)) }

  /// Minutes and seconds: `7 s`, `2:05`, `1:00:00`.
  private static func time(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    if hours > 0 { return "\(hours):\(two(minutes)):\(two(seconds % 60))" }
    return minutes > 0 ? "\(minutes):\(two(seconds % 60))" : "\(seconds) s"
  }
}
