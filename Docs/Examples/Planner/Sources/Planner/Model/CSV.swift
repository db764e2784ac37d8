/// The rows of a text with commas, by RFC 4180: quotes enclose commas, line ends and doubled quotes.
enum CSV {
  static func rows(of text: String) throws -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field = ""
    var isQuoted = false
    var characters = text.makeIterator()
    var next = characters.next()
    func endRow() {
      row.append(field)
      field = ""
      if row != [""] { rows.append(row) }
      row = []
    }
    while let character = next {
      next = characters.next()
      if isQuoted {
        if character != "\"" {
          field.append(character)
        } else if next == "\"" {
          field.append("\"")
          next = characters.next()
        } else {
          isQuoted = false
        }
      } else if character == "\"", field.isEmpty {
        isQuoted = true
      } else if character == "," {
        row.append(field)
        field = ""
      } else if character.isNewline {
        endRow()
      } else {
        field.append(character)
      }
    }
    if isQuoted { throw Failure("Row \(rows.count + 1) has a quote without an end.") }
    endRow()
    return rows
  }
}
