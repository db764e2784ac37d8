/// The figures as a table for a terminal.
enum Table {
  static func lines(_ figures: [Figure]) -> [String] {
    let header = ["row", "peer", "unit", "count", "min", "median", "p99", "vs reprise"]
    return aligned([header] + figures.map { cells($0, figures) })
  }

  /// How many times more the figure costs than the library's product `Reprise` at the same row.
  static func costAgainstReprise(_ figure: Figure, _ figures: [Figure]) -> Double? {
    let own = figures.first { $0.row.name == figure.row.name && $0.peer == .reprise }
    guard let own = own?.summary?.median, let other = figure.summary?.median, own > 0, other > 0 else { return nil }
    return figure.row.unit.cost(of: other, against: own)
  }

  private static func cells(_ figure: Figure, _ figures: [Figure]) -> [String] {
    let name = [figure.row.name, figure.peer.rawValue]
    switch figure.outcome {
    case .skipped(let reason):
      return name + ["skipped: \(reason)"]
    case .measured(let summary):
      let numbers = [summary.min, summary.median, summary.p99].map(Numbers.text)
      let factor = costAgainstReprise(figure, figures).map(Numbers.factor) ?? ""
      return name + [figure.row.unit.rawValue, "\(summary.count)"] + numbers + [factor]
    }
  }

  /// Text to the left, numbers to the right; a last cell that is longer than its column moves nothing.
  static func aligned(_ rows: [[String]], textColumns: Int = 3) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.filter { $0.count == columns }.map { $0[column].count }.max() ?? 0
    }
    let names = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, cell in
        let isName = column < textColumns
        let padding = String(repeating: " ", count: max(0, (column < 2 ? names : widths)[column] - cell.count))
        return isName ? cell + padding : padding + cell
      }.joined(separator: "  ").trimmedEnd
    }
  }
}

extension String {
  fileprivate var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
