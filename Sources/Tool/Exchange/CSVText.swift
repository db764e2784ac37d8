/// Rows of RFC 4180. An empty cell is nil, and an empty cell in quotation marks is an empty text.
enum CSVText {
  /// A cell. `nil` for no value.
  typealias Cell = String?

  static func row(_ cells: [Cell]) -> String { cells.map(written).joined(separator: ",") + "\r\n" }

  private static func written(_ cell: Cell) -> String {
    guard let cell else { return "" }
    let isPlain =
      !cell.isEmpty && cell.first != " " && cell.last != " "
      && cell.utf8.allSatisfy {
        $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
      }
    if isPlain { return cell }
    // By bytes: with a combining mark behind it, a quotation mark is a part of another character.
    let mark = UInt8(ascii: "\"")
    return "\"" + String(decoding: cell.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] }, as: UTF8.self) + "\""
  }

  /// The next row with its place. `nil` at the end of the file. Rows may end with a line feed alone.
  static func row(_ lines: LineReader) throws -> (cells: [Cell], place: ImportError.Place)? {
    var line: [UInt8]
    repeat {
      guard let next = try lines.next() else { return nil }
      line = next
      // An empty line has no object.
    } while line.isEmpty || line == [UInt8(ascii: "\r")]
    let place = lines.place
    var cells: [Cell] = []
    var index = 0
    while true {
      if index < line.count, line[index] == UInt8(ascii: "\"") {
        cells.append(try quoted(&line, &index, lines, place))
      } else {
        let end = line[index...].firstIndex(of: UInt8(ascii: ",")) ?? line.count
        var cell = line[index..<end]
        if end == line.count, cell.last == UInt8(ascii: "\r") { cell.removeLast() }
        if cell.contains(UInt8(ascii: "\"")) {
          throw ImportError.notCSV(place, reason: "a cell with a quotation mark needs quotation marks around it")
        }
        cells.append(cell.isEmpty ? nil : try text(cell, place))
        index = end
      }
      if index == line.count { return (cells, place) }
      index += 1
    }
  }

  /// The cell in quotation marks that begins at the index. It may go on in later lines.
  private static func quoted(
    _ line: inout [UInt8], _ index: inout Int, _ lines: LineReader, _ place: ImportError.Place
  ) throws -> String {
    var cell: [UInt8] = []
    index += 1
    while true {
      guard let mark = line[index...].firstIndex(of: UInt8(ascii: "\"")) else {
        cell.append(contentsOf: line[index...])
        cell.append(UInt8(ascii: "\n"))
        guard cell.count < LineReader.longest, let next = try lines.next() else {
          throw ImportError.notCSV(place, reason: "a cell has no second quotation mark")
        }
        (line, index) = (next, 0)
        continue
      }
      cell.append(contentsOf: line[index..<mark])
      index = mark + 1
      if index < line.count, line[index] == UInt8(ascii: "\"") {
        cell.append(UInt8(ascii: "\""))
        index += 1
        continue
      }
      if line[index...] == [UInt8(ascii: "\r")] { index += 1 }
      guard index == line.count || line[index] == UInt8(ascii: ",") else {
        throw ImportError.notCSV(place, reason: "a quotation mark within a cell must occur twice")
      }
      return try text(cell, place)
    }
  }

  private static func text(_ bytes: some Sequence<UInt8>, _ place: ImportError.Place) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw ImportError.invalidUTF8(place) }
    return text
  }
}
