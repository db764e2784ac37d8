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

  /// The lines of the table. If they are too long, the widest columns lose their ends.
  package func lines(_ style: Style) -> [String] {
    var widths = headings.indices.map { column in
      ([headings] + rows).map { PlainText.width($0[column]) }.max() ?? 0
    }
    if let columns = style.columns {
      let room = columns - 2 * (widths.count - 1)
      while widths.reduce(0, +) > room, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > 8
      {
        widths[widest] -= 1
      }
    }
    return [style.ink(.heading, line(headings, widths))] + rows.map { line($0, widths) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let cell = PlainText.cut(cell, to: widths[column])
      let room = String(repeating: " ", count: max(0, widths[column] - PlainText.width(cell)))
      let isLast = column == cells.count - 1
      line += sides[column] == .right ? room + cell : isLast ? cell : cell + room
      if !isLast { line += "  " }
    }
    // An empty last cell leaves the room of the cells before it.
    while line.last == " " { line.removeLast() }
    return line
  }
}
