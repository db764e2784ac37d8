import Foundation
import RepriseDynamic

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
  private let flushLines: () throws -> Void

  /// - Parameters:
  ///   - flush: Hands the lines on, so that a reader has them before the report ends.
  ///   - write: Gets each line, without its end.
  package init(
    _ form: Form, flush: @escaping () throws -> Void = {}, _ write: @escaping (String) throws -> Void
  ) {
    self.form = form
    self.write = write
    flushLines = flush
  }

  var isJSON: Bool { if case .json = form { true } else { false } }
  var style: Style { if case .text(let style) = form { style } else { Style() } }

  package func line(_ text: String = "") throws { try write(text) }
  func flush() throws { try flushLines() }
  func lines(_ table: Table) throws { for line in table.lines(style) { try write(line) } }

  package func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var line = ""
    for scalar in String(decoding: try encoder.encode(value), as: UTF8.self).unicodeScalars {
      // The encoder escapes only some of the characters that a terminal obeys. They are in texts only.
      if QuotedText.isHidden(scalar) {
        for unit in String(scalar).utf16 { line += "\\u" + String(UInt32(unit) | 0x10000, radix: 16).dropFirst() }
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    try write(line)
  }
}
