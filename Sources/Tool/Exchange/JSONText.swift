import RepriseDynamic

/// A JSON text that keeps the digits of numbers, so that no number loses bits.
enum JSONText: Equatable, Sendable {
  case null
  case bool(Bool)
  /// The digits as they are written.
  case number(String)
  case text(String)
  case list([JSONText])
  /// The members in their order.
  case members([Member])

  struct Member: Equatable, Sendable {
    let key: String
    let value: JSONText

    init(_ key: String, _ value: JSONText) { (self.key, self.value) = (key, value) }
  }

  subscript(key: String) -> JSONText? {
    guard case .members(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var list: [JSONText]? { if case .list(let list) = self { list } else { nil } }
  var members: [Member]? { if case .members(let members) = self { members } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

// MARK: Writing

extension JSONText {
  /// The text on one line, without any character that a terminal obeys.
  var line: String {
    var line = ""
    write(to: &line)
    return line
  }

  private func write(to line: inout String) {
    switch self {
    case .null: line += "null"
    case .bool(let value): line += value ? "true" : "false"
    case .number(let digits): line += digits
    case .text(let text): Self.write(text, to: &line)
    case .list(let values):
      line += "["
      for (place, value) in values.enumerated() {
        if place > 0 { line += "," }
        value.write(to: &line)
      }
      line += "]"
    case .members(let members):
      line += "{"
      for (place, member) in members.enumerated() {
        if place > 0 { line += "," }
        Self.write(member.key, to: &line)
        line += ":"
        member.value.write(to: &line)
      }
      line += "}"
    }
  }

  private static func write(_ text: String, to line: inout String) {
    line += "\""
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
      line += text
    } else {
      for scalar in text.unicodeScalars { write(scalar, to: &line) }
    }
    line += "\""
  }

  private static func write(_ scalar: Unicode.Scalar, to line: inout String) {
    switch scalar {
    case "\"": line += "\\\""
    case "\\": line += "\\\\"
    case "\n": line += "\\n"
    case "\r": line += "\\r"
    case "\t": line += "\\t"
    case _ where QuotedText.isHidden(scalar):
      for unit in String(scalar).utf16 { line += "\\u" + String(UInt32(unit) | 0x10000, radix: 16).dropFirst() }
    default: line.unicodeScalars.append(scalar)
    }
  }
}
