import Foundation

/// The receiver of a report, and the form for it.
package struct Output {
  /// The form of a report.
  package enum Form: Sendable {
    /// Lines for people.
    case text(Style)
    /// One JSON object in each line, for programs.
    case json
  }

  package let form: Form
  private let write: (String) throws -> Void

  /// - Parameter write: Gets each line, without its end.
  package init(_ form: Form, _ write: @escaping (String) throws -> Void) {
    self.form = form
    self.write = write
  }

  var isJSON: Bool { if case .json = form { true } else { false } }
  var style: Style { if case .text(let style) = form { style } else { Style() } }

  func line(_ text: String = "") throws { try write(text) }
  func lines(_ table: Table) throws { for line in table.lines(style) { try write(line) } }

  func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try write(String(decoding: encoder.encode(value), as: UTF8.self))
  }
}
