/// A sentence as the rules of plain English see it.
struct Sentence: Equatable {
  let line: Int

  /// Words in lower case, punctuation marks, and one token for each code span.
  fileprivate(set) var tokens: [String] = []
  fileprivate(set) var isQuestion = false

  /// A code span, and one that is the name of a test.
  static let code = "`"
  static let test = "`test"

  /// The number of words. A code span is one.
  var words: Int { tokens.count { !Self.punctuation.contains($0) } }

  var clauses: [ArraySlice<String>] { tokens.split { Self.borders.contains($0) } }

  private static let punctuation: Set = [",", ";", ":", "(", ")", "—"]
  private static let borders = punctuation.union([
    "and", "or", "but", "so", "if", "because", "that", "than", "while", "when", "which", "who",
  ])
}

extension Paragraph {
  /// Full stops and the borders of table cells end a sentence. The target of a link is left out.
  var sentences: [Sentence] {
    var scanner = SentenceScanner(bytes: Array(text.utf8), line: line)
    return scanner.sentences()
  }
}

private struct SentenceScanner {
  let bytes: [UInt8]
  var line: Int
  var at = 0
  var found: [Sentence] = []
  var current = Sentence(line: 0)

  init(bytes: [UInt8], line: Int) {
    self.bytes = bytes
    self.line = line
  }

  mutating func sentences() -> [Sentence] {
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
        at += 1
      case UInt8(ascii: "`"): skipCode()
      case UInt8(ascii: "\\"): skipEscape()
      case UInt8(ascii: "]") where peek(1) == UInt8(ascii: "("): skip(past: UInt8(ascii: ")"))
      case UInt8(ascii: "<") where peek(1) == UInt8(ascii: "d") || peek(1) == UInt8(ascii: "h"):
        skip(past: UInt8(ascii: ">"))
        append(Sentence.code)
      case UInt8(ascii: "|"):
        end()
        at += 1
      case UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "?"):
        if let next = endOfSentence {
          end(isQuestion: byte == UInt8(ascii: "?"))
          at = next
        } else {
          at += 1
        }
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "("), UInt8(ascii: ")"):
        append(String(decoding: [byte], as: UTF8.self))
        at += 1
      case 0xE2:
        // General punctuation, of which only dashes cut a sentence.
        if peek(1) == 0x80, peek(2) == 0x93 || peek(2) == 0x94 { append("—") }
        at += 3
      case _ where Self.isWord(byte): readWord()
      default: at += 1
      }
    }
    end()
    return found
  }

  private func peek(_ offset: Int) -> UInt8? { at + offset < bytes.count ? bytes[at + offset] : nil }

  private static func isWord(_ byte: UInt8) -> Bool {
    (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || (byte >= 0x80 && byte != 0xE2)
  }

  /// The index behind the full stop and closing marks here, if a space or the end follows.
  private var endOfSentence: Int? {
    let closing: [UInt8] = [UInt8(ascii: ")"), UInt8(ascii: "\""), UInt8(ascii: "*"), UInt8(ascii: "]")]
    var next = at + 1
    while next < bytes.count && closing.contains(bytes[next]) { next += 1 }
    let ends = next >= bytes.count || bytes[next] == UInt8(ascii: " ") || bytes[next] == UInt8(ascii: "\n")
    return ends ? next : nil
  }

  private mutating func append(_ token: String) {
    if current.tokens.isEmpty { current = Sentence(line: line) }
    current.tokens.append(token)
  }

  private mutating func end(isQuestion: Bool = false) {
    current.isQuestion = isQuestion
    if current.words > 0 { found.append(current) }
    current = Sentence(line: line)
  }

  private mutating func skip(past last: UInt8) {
    while at < bytes.count && bytes[at] != last {
      if bytes[at] == UInt8(ascii: "\n") { line += 1 }
      at += 1
    }
    at += 1
  }

  private mutating func skipCode() {
    var fence = 0
    while peek(fence) == UInt8(ascii: "`") { fence += 1 }
    at += fence
    let start = at
    while at < bytes.count && bytes[at] != UInt8(ascii: "`") {
      if bytes[at] == UInt8(ascii: "\n") { line += 1 }
      at += 1
    }
    let code = String(decoding: bytes[start..<at], as: UTF8.self)
    while peek(0) == UInt8(ascii: "`") { at += 1 }
    append(QuotedTests.name(in: code[...]) == nil ? Sentence.code : Sentence.test)
  }

  /// `\(…)` is a word, and `\n` a space.
  private mutating func skipEscape() {
    guard peek(1) == UInt8(ascii: "(") else {
      at += 2
      return
    }
    var depth = 0
    at += 1
    repeat {
      if bytes[at] == UInt8(ascii: "(") { depth += 1 }
      if bytes[at] == UInt8(ascii: ")") { depth -= 1 }
      at += 1
    } while depth > 0 && at < bytes.count
    append(Sentence.code)
  }

  private mutating func readWord() {
    let joints: [UInt8] = [
      UInt8(ascii: "'"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"),
    ]
    let start = at
    while let byte = peek(0) {
      guard Self.isWord(byte) || (joints.contains(byte) && peek(1).map(Self.isWord) == true) else { break }
      at += 1
    }
    append(String(decoding: bytes[start..<at], as: UTF8.self).lowercased())
  }
}
