/// How a report is written: with or without colours, and into how many columns.
package struct Style: Sendable {
  /// A meaning that a colour shows.
  enum Ink: Int {
    case heading = 1
    case faint = 2
    case added = 32
    case removed = 31
    case name = 33
    case place = 36
  }

  /// Whether to use the colours of a terminal.
  package var hasColours: Bool
  /// The columns of the terminal. `nil` for no limit, as in a file.
  package var columns: Int?

  /// Makes a style.
  package init(hasColours: Bool = false, columns: Int? = nil) {
    (self.hasColours, self.columns) = (hasColours, columns)
  }

  func ink(_ ink: Ink, _ text: String) -> String {
    hasColours && !text.isEmpty ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text
  }
}
