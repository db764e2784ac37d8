import Foundation

/// The words of texts, without punctuation: a text is the same in one literal, in several, and in a longer text.
struct PlainText {
  private(set) var bytes: [UInt8] = []

  init(_ lines: some Sequence<some StringProtocol>) { for line in lines { append(line.utf8) } }

  fileprivate init(_ bytes: [UInt8]) { append(bytes) }

  private mutating func append(_ text: some Sequence<UInt8>) {
    var isEscaped = false
    for byte in text {
      // Of `\n` and the like, nothing stays.
      let isSkipped = isEscaped && byte != UInt8(ascii: "(")
      isEscaped = byte == UInt8(ascii: "\\") && !isSkipped
      if !isSkipped && Self.isWord(byte) { bytes.append(byte) } else { separate() }
    }
    separate()
  }

  private mutating func separate() {
    if let last = bytes.last, last != UInt8(ascii: " ") { bytes.append(UInt8(ascii: " ")) }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte >= 0x80
  }

  /// The fixed parts of a message, between its interpolations.
  static func parts(of message: String) -> [PlainText] {
    var parts: [[UInt8]] = [[]]
    var (depth, isEscaped) = (0, false)
    for byte in message.utf8 {
      if depth > 0 || isEscaped && byte == UInt8(ascii: "(") {
        if depth == 0 { parts.append([]) }
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
        isEscaped = false
        continue
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      parts[parts.count - 1].append(byte)
    }
    return parts.map { PlainText($0) }.filter { !$0.bytes.isEmpty }
  }

  /// Lends the text to a search of C, because a search in unoptimised Swift takes a minute.
  func withText<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    String(decoding: bytes.dropLast(), as: UTF8.self).withCString(body)
  }
}

/// The messages of the library that no test shows.
enum MessageTexts {
  /// By area, the messages with a fixed part that the tests do not have.
  static func untested(_ sources: [SourceFile], in tests: PlainText) -> [String: [Paragraph]] {
    let messages = sources.filter { $0.folder != "Demonstration" }.flatMap { file in
      Prose.paragraphs(ofMessages: file).map { (area: file.folder, message: $0) }
    }
    let untested = tests.withText { tests in
      messages.filter { message in
        PlainText.parts(of: message.message.text).contains { $0.withText { strstr(tests, $0) == nil } }
      }
    }
    return Dictionary(grouping: untested, by: \.area).mapValues { $0.map(\.message) }
  }
}
