import Foundation

/// Maps values to a stretch of the drawing, powers of ten at equal distances.
struct LogScale {
  private let low: Double
  private let high: Double
  private let from: Double
  private let to: Double

  /// Covers the values, with a little room on both ends.
  init?(covering values: [Double], from: Double, to: Double, room: Double) {
    guard let least = values.min(), let most = values.max(), least > 0 else { return nil }
    low = log10(least) - room
    high = log10(most) + room
    self.from = from
    self.to = to
  }

  func position(_ value: Double) -> Double { from + (log10(value) - low) / (high - low) * (to - from) }

  /// 1, 2 and 5 times the powers of ten within the scale.
  var ticks: [Double] {
    (Int(low.rounded(.down))...Int(high.rounded(.up))).flatMap { power in
      [1, 2, 5].map { $0 * pow(10, Double(power)) }
    }.filter { log10($0) >= low && log10($0) <= high }
  }
}
