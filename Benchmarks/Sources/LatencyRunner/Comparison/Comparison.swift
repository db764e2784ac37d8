/// A run held against a baseline: each row's ratio of the library to a peer, then and at present.
struct Comparison {
  struct Line: Equatable {
    let name: String
    let own: String
    let peer: String
    let unit: Unit
    /// What the library costs, in costs of the peer.
    let then: Double
    let now: Double

    /// Above 1 the library has become worse.
    var change: Double { now / then }
  }

  let lines: [Line]
  /// Of times and rates.
  let tolerance: Double

  /// Of bytes and flushes, which a busy machine does not change.
  static let toleranceOfCounts = 1.1

  /// From this ratio on, in the baseline, the peer does next to nothing for the row, and its figure is mostly noise.
  static let meaningful = 20.0

  init(_ run: Baseline, against baseline: Baseline, tolerance: Double) {
    let before = Self.ratios(baseline).filter { $0.now < Self.meaningful }
    lines = Self.ratios(run).compactMap { line in
      before.first { ($0.name, $0.own, $0.peer) == (line.name, line.own, line.peer) }.map {
        Line(name: line.name, own: line.own, peer: line.peer, unit: line.unit, then: $0.now, now: line.now)
      }
    }
    self.tolerance = tolerance
  }

  var worse: [Line] { lines.filter(isWorse) }

  func isWorse(_ line: Line) -> Bool {
    switch line.unit {
    case .bytes, .count: line.change > min(tolerance, Self.toleranceOfCounts)
    case .microseconds, .perSecond: line.change > tolerance
    }
  }

  private static func ratios(_ run: Baseline) -> [Line] {
    run.entries.flatMap { own -> [Line] in
      guard Peer(rawValue: own.peer)?.isOwn == true else { return [] }
      return run.entries.compactMap { other in
        guard other.name == own.name, Peer(rawValue: other.peer)?.isOwn == false, own.median > 0, other.median > 0
        else { return nil }
        let ratio = own.unit.cost(of: own.median, against: other.median)
        return Line(name: own.name, own: own.peer, peer: other.peer, unit: own.unit, then: ratio, now: ratio)
      }
    }
  }
}
