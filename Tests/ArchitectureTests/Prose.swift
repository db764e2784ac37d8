/// A paragraph, a list item, a heading, a table row or a message, with the number of its first line.
struct Paragraph: Equatable {
  let path: String
  let line: Int
  var text: String

  /// A row of a table, or a footnote such as "Tests: …". Both may name tests.
  var isReference: Bool { text.hasPrefix("|") || text.hasPrefix("Test: ") || text.hasPrefix("Tests: ") }
}

/// The prose of a file: its text without code.
enum Prose {
  typealias Line = (number: Int, text: Substring)

  static func paragraphs(ofDocument file: SourceFile) -> [Paragraph] {
    paragraphs(file.lines.enumerated().map { ($0.offset + 1, $0.element[...]) }, path: file.path)
  }

  /// The paragraphs of comments that fill whole lines: first those of public declarations, then all others.
  static func paragraphs(ofComments file: SourceFile) -> (public: [Paragraph], internal: [Paragraph]) {
    var found: (public: [Paragraph], internal: [Paragraph]) = ([], [])
    var comment: [Line] = []
    var members = PublicMembers()
    for (index, line) in file.lines.enumerated() where file.isCode[index] {
      let start = line.trimmedStart
      if start.hasPrefix("//") {
        let text = start.drop { $0 == "/" }
        comment.append((index + 1, text.first == " " ? text.dropFirst() : text))
        continue
      }
      let isPublic = members.contains(line)
      // Attributes and conditions may stand between a comment and its declaration.
      let isAttribute = start.hasPrefix("@") && PublicDeclaration.withoutAttributes(start).isEmpty
      if comment.isEmpty || start.hasPrefix("#") || isAttribute { continue }
      let paragraphs = paragraphs(comment, path: file.path)
      if isPublic { found.public += paragraphs } else { found.internal += paragraphs }
      comment = []
    }
    return found
  }

  /// String literals that are sentences rather than names. Literals joined by `+` at the begin of a line are one.
  static func paragraphs(ofMessages file: SourceFile) -> [Paragraph] {
    var found: [Paragraph] = []
    for (index, line) in file.lines.enumerated() where file.isCode[index] && line.has("\"") {
      let start = line.trimmedStart
      if start.hasPrefix("//") { continue }
      let literals = literals(in: line).map { Paragraph(path: file.path, line: index + 1, text: $0) }
      guard let first = literals.first else { continue }
      if start.hasPrefix("+ \""), let last = found.last, last.line + last.text.count(of: "\n") == index {
        found[found.count - 1].text += "\n" + first.text
        found += literals.dropFirst()
      } else {
        found += literals
      }
    }
    return found.filter { $0.text.utf8.count >= 30 && $0.text.has(" ") }
  }

  private static func paragraphs(_ lines: [Line], path: String) -> [Paragraph] {
    var found: [Paragraph] = []
    var isCode = false
    var continues = false
    for (number, line) in lines {
      let start = line.trimmedStart
      if start.hasPrefix("```") {
        isCode.toggle()
        continues = false
      } else if isCode || start.isEmpty || (!continues && line.hasPrefix("    ")) {
        continues = false
      } else if continues && !begins(start) {
        found[found.count - 1].text += "\n" + start
      } else {
        found.append(Paragraph(path: path, line: number, text: String(start)))
        continues = start.first != "#"
      }
    }
    return found
  }

  /// Whether a line is a paragraph of its own: an item, a heading, a row or a quotation.
  private static func begins(_ line: Substring) -> Bool {
    if let first = line.first, "#|>".contains(first) { return true }
    let mark = line.prefix { $0.isNumber || ".-*".contains($0) }
    guard line.dropFirst(mark.count).first == " " else { return false }
    return mark == "-" || mark == "*" || mark.first?.isNumber == true && mark.last == "."
  }

  private static func literals(in line: String) -> [String] {
    var found: [String] = []
    var literal: [UInt8]?
    var depth = 0
    var isEscaped = false
    for byte in line.utf8 {
      guard literal != nil else {
        if byte == UInt8(ascii: "\"") { literal = [] }
        continue
      }
      if depth == 0 && !isEscaped && byte == UInt8(ascii: "\"") {
        found.append(String(decoding: literal ?? [], as: UTF8.self))
        literal = nil
        continue
      }
      literal?.append(byte)
      if byte == UInt8(ascii: "("), depth > 0 || isEscaped { depth += 1 }
      if byte == UInt8(ascii: ")"), depth > 0 { depth -= 1 }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return found
  }
}

/// Recognises what users see: public declarations, cases of public enums and requirements of public protocols.
private struct PublicMembers {
  private var scope: (keyword: String, indentation: Int)?

  mutating func contains(_ line: String) -> Bool {
    let start = line.trimmedStart
    if start.isEmpty { return false }
    let indentation = line.utf8.count - start.utf8.count
    if let outer = scope, indentation <= outer.indentation { scope = nil }
    if let declaration = PublicDeclaration(line) {
      if ["enum", "protocol"].contains(declaration.keyword) { scope = (declaration.keyword, indentation) }
      return true
    }
    guard let scope, scope.indentation == indentation - 2 else { return false }
    return scope.keyword == "protocol" || start.hasPrefix("case ")
  }
}
