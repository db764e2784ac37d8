import RepriseDynamic

/// Makes text from a store harmless for a terminal.
///
/// A value may have escape sequences, which a terminal would obey. It may also have marks that change the direction of
/// text, so that a line shows something else than it has.
package enum PlainText {
  /// The text on one line, without any character that a terminal obeys.
  package static func line(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy({ !QuotedText.isHidden($0) }) { return text }
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if QuotedText.isHidden(scalar) {
        line.append(contentsOf: escape(scalar).unicodeScalars)
      } else {
        line.append(scalar)
      }
    }
    return String(line)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{\(String(scalar.value, radix: 16))}"
    }
  }

  /// The columns that a line takes on a terminal.
  package static func width(_ line: String) -> Int { line.reduce(0) { $0 + width($1) } }

  private static func width(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.properties.generalCategory == .nonspacingMark { return 0 }
    let value = first.value
    let isWide =
      (0x1100...0x115F).contains(value) || (0x2E80...0xA4CF).contains(value) || (0xAC00...0xD7A3).contains(value)
      || (0xF900...0xFAFF).contains(value) || (0xFE30...0xFE6F).contains(value) || (0xFF00...0xFF60).contains(value)
      || (0xFFE0...0xFFE6).contains(value) || (0x1F300...0x1FAFF).contains(value) || (0x20000...0x3FFFD).contains(value)
    return isWide || first.properties.isEmojiPresentation ? 2 : 1
  }

  /// The beginning of a line that fits into so many columns. The last column shows that something is missing.
  package static func cut(_ line: String, to columns: Int) -> String {
    // One character more than fits decides, so a long line is not read to its end.
    var (cut, taken) = ("", 0)
    for character in line {
      taken += width(character)
      if taken > columns { break }
      cut.append(character)
    }
    if taken <= columns { return line }
    while !cut.isEmpty, width(cut) + 1 > columns { cut.removeLast() }
    return cut + "…"
  }
}
