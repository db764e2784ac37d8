@testable import LatencyRunner

extension Row {
  /// The full plan's row of that name.
  static func named(_ name: String) -> Row {
    guard let row = Plan(profile: .full).rows.first(where: { $0.name == name }) else {
      preconditionFailure("there is no row \(name)")
    }
    return row
  }
}

extension Figure {
  static func of(_ name: String, _ peer: Peer, _ samples: [Double], parts: [String: Double] = [:]) -> Figure {
    guard let summary = Summary(samples) else { preconditionFailure("a figure needs samples") }
    return Figure(row: .named(name), peer: peer, outcome: .measured(summary), parts: parts)
  }
}
