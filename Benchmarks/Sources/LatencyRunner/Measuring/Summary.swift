/// The figures of a sequence of samples.
struct Summary: Equatable, Codable {
  let count: Int
  let min: Double
  let median: Double
  let p99: Double

  /// Nil without samples.
  init?(_ samples: [Double]) {
    guard let least = samples.min() else { return nil }
    let sorted = samples.sorted()
    count = sorted.count
    min = least
    median = Self.median(sorted)
    p99 = Self.percentile(99, of: sorted)
  }

  /// The nearest rank: a sample that was seen. The 99th percentile of fewer than a hundred samples is the largest one.
  static func percentile(_ percent: Int, of sorted: [Double]) -> Double {
    sorted[(sorted.count * percent + 99) / 100 - 1]
  }

  private static func median(_ sorted: [Double]) -> Double {
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  static func median(of samples: [Double]) -> Double? { Summary(samples)?.median }
}
