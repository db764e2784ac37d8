/// Rows of cells in aligned columns.
package struct Table {
  package enum Side { case left, right }

  private let headings: [String]
  private let sides: [Side]
  private let limit: Int?
  private var rows: [[String]] = []

  /// - Parameter limit: The most columns of a terminal that a cell takes. `nil` for no limit.
  package init(_ columns: [(String, Side)], limit: Int? = nil) {
    self.limit = limit
    headings = columns.map { PlainText.line($0.0) }
    sides = columns.map(\.1)
  }

  package mutating func add(_ cells: [String]) {
    rows.append(cells.map { cell in limit.map { PlainText.cut(PlainText.line(cell), to: $0) } ?? PlainText.line(cell) })
  }

  /// The least width of a column that loses its ends.
  private static let least = 8
  /// A file has whole cells, but one long cell does not move the cells of all rows out of sight.
  private static let widestInFile = 200

  /// The lines of the table. If a terminal is too narrow, the widest columns lose their ends, and then the last columns
  /// are left out. The first column stays whole, because it has the IDs that other commands take.
  package func lines(_ style: Style) -> [String] {
    var widths = headings.indices.map { column in
      ([headings] + rows).map { PlainText.width($0[column]) }.max() ?? 0
    }
    guard let columns = style.columns else {
      widths = widths.map { min($0, Self.widestInFile) }
      return [style.ink(.heading, line(headings, widths, cuts: false))] + rows.map { line($0, widths, cuts: false) }
    }
    func room() -> Int { columns - 2 * (widths.count - 1) - widths.reduce(0, +) }
    while room() < 0, let widest = widths.indices.dropFirst().max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.least
    {
      widths[widest] -= 1
    }
    while room() < 0, widths.count > 1 { widths.removeLast() }
    widths[0] = min(widths[0], columns)
    var lines = [style.ink(.heading, line(headings, widths, cuts: true))] + rows.map { line($0, widths, cuts: true) }
    let missing = headings[widths.count...]
    if !missing.isEmpty {
      let text = "Not shown, for want of room: \(missing.joined(separator: ", "))"
      lines.append(style.ink(.faint, PlainText.cut(text, to: columns)))
    }
    return lines
  }

  private func line(_ cells: [String], _ widths: [Int], cuts: Bool) -> String {
    var line = ""
    for (column, cell) in cells.prefix(widths.count).enumerated() {
      let cell = cuts ? PlainText.cut(cell, to: widths[column]) : cell
      let room = String(repeating: " ", count: max(0, widths[column] - PlainText.width(cell)))
      let isLast = column == widths.count - 1
      line += sides[column] == .right ? room + cell : isLast ? cell : cell + room
      if !isLast { line += "  " }
    }
    // An empty last cell leaves the room of the cells before it.
    while line.last == " " { line.removeLast() }
    return line
  }
}
