/// A line of a CSV file with the columns `title`, `due`, `project` and `notes`.
struct ImportLine: Equatable, Sendable {
  let number: Int
  var title = ""
  var due = ""
  var project = ""
  var notes = ""

  static func lines(of text: String) throws -> [ImportLine] {
    let rows = try CSV.rows(of: text)
    guard let header = rows.first else { throw Failure("There is no line.") }
    let columns = header.map { $0.trimmed.lowercased() }
    guard columns.contains("title") else {
      throw Failure("The first line must name the columns: title, due, project, notes.")
    }
    return try rows.enumerated().dropFirst().map { number, row in
      var line = ImportLine(number: number + 1)
      for (column, value) in zip(columns, row) {
        switch column {
        case "title": line.title = value.trimmed
        case "due": line.due = value.trimmed
        case "project": line.project = value.trimmed
        case "notes": line.notes = value
        default: break
        }
      }
      if line.title.isEmpty { throw Failure("Row \(number + 1) has no title.") }
      if !line.due.isEmpty, !Day.isDay(line.due) {
        throw Failure("Row \(number + 1): '\(line.due)' is not a day such as 2026-11-29.")
      }
      return line
    }
  }
}
