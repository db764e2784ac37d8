/// A text in quotation marks, or a name in backticks, with the escapes of Swift: `\n`, `\r`, `\t`, `\0`, `\\`, the
/// mark itself, and `\u{…}`.
package enum QuotedText {
  static func written(_ text: String, in mark: Unicode.Scalar) -> String {
    var written = String.UnicodeScalarView([mark])
    for scalar in text.unicodeScalars {
      if scalar == mark || scalar == "\\" {
        written.append("\\")
        written.append(scalar)
      } else if let letter = letters.first(where: { $0.scalar == scalar })?.letter {
        written.append("\\")
        written.append(letter)
      } else if isHidden(scalar) {
        written.append(contentsOf: escape(scalar).unicodeScalars)
      } else {
        written.append(scalar)
      }
    }
    written.append(mark)
    return String(written)
  }

  private static let letters: [(scalar: Unicode.Scalar, letter: Unicode.Scalar)] = [
    ("\n", "n"), ("\r", "r"), ("\t", "t"), ("\0", "0"),
  ]

  /// Whether a terminal or an editor could show the text in another way because of the scalar.
  package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Joiners and tags make emoji. The other marks set directions, or are invisible.
    case .format: scalar != "\u{200D}" && scalar != "\u{200C}" && !(0xE0020...0xE007F).contains(scalar.value)
    default: false
    }
  }

  /// A text for messages, without signs that hide it.
  static func visible(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += isHidden($1) ? escape($1) : String($1) }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }

  static func unescaped(_ letter: Unicode.Scalar) -> Unicode.Scalar? {
    letters.first { $0.letter == letter }?.scalar
  }
}
