/// The name that a misspelt one probably means.
enum NameSuggestion {
  private static let longest = 64

  /// The nearest of the names. `nil` if all differ in more than a third of their letters. Upper case does not count.
  static func nearest(to name: String, among names: some Sequence<String>) -> String? {
    let letters = Array(name.lowercased())
    guard letters.count <= longest else { return nil }
    var found: (name: String, distance: Int)?
    for other in names where other.utf8.count <= longest {
      let distance = distance(letters, Array(other.lowercased()))
      if distance <= max(1, letters.count / 3), distance < found?.distance ?? .max { found = (other, distance) }
    }
    return found?.name
  }

  /// The number of letters to insert, delete, replace or exchange with their neighbours (Damerau, 1964).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for (line, letter) in left.enumerated() {
      var row = [line + 1]
      for (column, other) in right.enumerated() {
        var least = min(rows[line][column] + (letter == other ? 0 : 1), rows[line][column + 1] + 1, row[column] + 1)
        if line > 0, column > 0, letter == right[column - 1], other == left[line - 1] {
          least = min(least, rows[line - 1][column - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
