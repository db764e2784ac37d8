/// A comparison in words.
enum ComparisonReport {
  static func lines(_ comparison: Comparison) -> [String] {
    let limits = [comparison.tolerance, Comparison.toleranceOfCounts].map { Numbers.fixed($0, 2) + "×" }
    var lines = [
      "what the library costs in costs of a peer; worse when it has grown by more than \(limits[0]), bytes and flushes "
        + limits[1]
    ]
    lines += comparison.lines.map { line in
      let verdict = comparison.isWorse(line) ? "WORSE" : "ok"
      return [
        verdict.padded(to: 6), line.name.padded(to: 26), "\(line.own) / \(line.peer)".padded(to: 26),
        Numbers.fixed(line.then, 3), "→", Numbers.fixed(line.now, 3), "(\(Numbers.fixed(line.change, 2))×)",
      ].joined(separator: " ")
    }
    lines.append("\(comparison.lines.count) ratios, \(comparison.worse.count) worse")
    return lines
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
