/// A line of the result: milliseconds of a command, or megabytes of the page.
struct InspectorRow {
  let name: String
  let meaning: String
  let unit: Unit
  let target: Double?
  var samples: [Double] = []

  enum Unit: String {
    case milliseconds = "ms"
    case megabytes = "MB"
  }

  /// A line that the test of the page prints: `row name|meaning|unit|target|sample sample…`.
  init?(printed line: Substring) {
    let prefix = "row "
    guard line.hasPrefix(prefix) else { return nil }
    let parts = line.dropFirst(prefix.count).split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 5, let unit = Unit(rawValue: String(parts[2])) else { return nil }
    self.init(
      name: String(parts[0]), meaning: String(parts[1]), unit: unit, target: Double(parts[3]),
      samples: parts[4].split(separator: " ").compactMap { Double($0) })
  }

  init(name: String, meaning: String, unit: Unit = .milliseconds, target: Double? = nil, samples: [Double] = []) {
    self.name = name
    self.meaning = meaning
    self.unit = unit
    self.target = target
    self.samples = samples
  }

  static let header = ["row", "unit", "count", "min", "median", "p90", "p99", "target", "meaning"]

  var cells: [String] {
    guard let summary = Summary(samples) else { return [name, "skipped", "", "", "", "", "", "", meaning] }
    let p90 = Summary.percentile(90, of: samples.sorted())
    let numbers = [summary.min, summary.median, p90, summary.p99].map(Numbers.text)
    return [name, unit.rawValue, "\(summary.count)"] + numbers + [target.map(Numbers.text) ?? "", meaning]
  }
}
