/// A part of a page. The texts of its fields are kept apart, because a page that types has them already.
struct HTML {
  /// With the texts of the fields.
  private(set) var text = ""
  /// Without the texts of the fields.
  private(set) var shape = ""

  /// Appends markup.
  mutating func add(_ markup: StaticString) {
    let markup = markup.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    text += markup
    shape += markup
  }

  /// Appends a text that anybody may have written.
  mutating func add(text written: some StringProtocol) {
    let escaped = Self.escaped(written)
    text += escaped
    shape += escaped
  }

  /// Appends the text of a field.
  mutating func add(field written: String) { text += Self.escaped(written) }

  mutating func add(_ number: Int) {
    text += "\(number)"
    shape += "\(number)"
  }

  /// No text ends a quoted attribute or begins an element.
  static func escaped(_ text: some StringProtocol) -> String {
    if !text.utf8.contains(where: { special.contains($0) }) { return String(text) }
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }

  private static let special = Set("&<>\"'".utf8)
}
