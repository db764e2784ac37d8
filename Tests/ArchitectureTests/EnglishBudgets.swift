import Foundation

/// How many marks of plain English each area of the prose has. The numbers may only fall: `make english`
/// lowers them.
enum EnglishBudgets {
  static let table = """
    area         what those which others coined tells  own negated passive long semicolons tests
    README          0     0     2      0      0     0    0       1       0    0          1     2
    manual          1     0     3      0      0     0    0       1       0    0          7     0
    Docs            8     0     0      0      0     0    0       1      11    5         74     4
    FileFormat      0     0     0      0      0     0    0       4       0    1          0     0
    Decisions       0     2     1      0      0     0    5       8       4    0          0     0
    Directories     0     0     0      0      0     0    0       0       0    0          0     0
    Dynamic         0     0     0      0      0     0    0       0       0    0          0     0
    EventStore      1     0     0      1      0     6    1       0       1   10         68     0
    Foundation      0     0     0      0      0     0    0       0       0    0         13     0
    HTTP            0     0     0      0      0     0    0       0       1    0          9     0
    Inspector       0     0     0      0      0     0    0       0       0    0          0     0
    Journal         0     0     0      0      0     2    0       0       0    0          0     0
    Lists           0     0     0      0      0     0    1       2       0    1          0     0
    Locales         0     0     0      0      0     0    0       0       0    0          0     0
    Log             0     0     0      0      0     5    0       0       0    1         10     0
    ObjectGraph     0     0     0      0      0     0    3       1       1    4         42     0
    ObjectModel     0     0     0      0      0     0    1       1       0    1         14     0
    Observation     0     0     0      0      0     0    0       0       0    0          0     0
    PostgreSQL      0     0     0      0      0     1    0       0       0    0          6     0
    Query           0     0     0      0      0     1    0       0       0    0         27     0
    Remote          0     0     0      0      0     0    0       0       1    2          0     0
    RemoteError     0     0     0      0      0     0    0       0       0    0          0     0
    Restoration     0     0     0      0      0     5    3       1       4    2          0     0
    SQLite          0     0     0      0      0     0    0       0       1    0          2     0
    Sharing         0     0     0      0      0     0    0       0       0    0          0     0
    System          0     0     0      0      0     0    0       0       0    0          0     0
    Testing         0     0     0      0      0     0    0       0       0    0          0     0
    comments       31     6    47     13      1     8    6      25      41   48         90     0
    messages        0     0     0      0      0     0    0       0       6    0         16     0
    """

  typealias Counts = [PlainEnglish: Int]

  /// Rows of an area's name and its numbers, in the order of the columns' names in the first row.
  static func counts(in table: String) -> [String: Counts] {
    let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let columns = rows.first?.dropFirst().compactMap(PlainEnglish.init) ?? []
    return rows.dropFirst().reduce(into: [:]) { counts, row in
      counts[row[0]] = Dictionary(uniqueKeysWithValues: zip(columns, row.dropFirst().compactMap { Int($0) }))
    }
  }

  static func table(_ areas: [(name: String, counts: Counts)]) -> String {
    let widths = PlainEnglish.allCases.map { max($0.rawValue.count, 4) + 1 }
    func row(_ name: String, _ cells: [String]) -> String {
      let name = name + String(repeating: " ", count: max(0, 12 - name.count))
      return name + zip(cells, widths).map { String(repeating: " ", count: max(1, $1 - $0.count)) + $0 }.joined()
    }
    let rows = areas.map { area in row(area.name, PlainEnglish.allCases.map { String(area.counts[$0] ?? 0) }) }
    return ([row("area", PlainEnglish.allCases.map(\.rawValue))] + rows).joined(separator: "\n")
  }

  /// Replaces the table above, in the checkout.
  static func write(_ areas: [(name: String, counts: Counts)]) throws {
    let mark = "\"\"\"\n"
    let path = Checkout.root + "/Tests/ArchitectureTests/EnglishBudgets.swift"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let rows = table(areas).split(separator: "\n").map { "    \($0)\n" }.joined()
    let parts = text.components(separatedBy: mark)
    try ([parts[0], rows + "    "] + parts.dropFirst(2)).joined(separator: mark).write(
      toFile: path, atomically: true, encoding: .utf8)
  }
}
