/// A pattern of `like`: `?` stands for one scalar, `*` for any number of them. A backslash makes the next scalar an
/// ordinary one.
struct WildcardPattern: Hashable, Sendable {
  private enum Token: Hashable, Sendable {
    case byte(UInt8)
    case one
    case any
  }

  private let tokens: [Token]

  /// - Parameter pattern: The pattern in the form of the texts that it is compared with.
  init(_ pattern: String) throws(PatternError) {
    var tokens: [Token] = []
    var isEscaped = false
    var count = 0
    for scalar in pattern.unicodeScalars {
      count += 1
      if isEscaped {
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
        continue
      } else if scalar == "?" {
        tokens.append(.one)
        continue
      } else if scalar == "*" {
        if tokens.last != .any { tokens.append(.any) }
        continue
      }
      tokens.append(contentsOf: UTF8.encode(scalar)?.map { .byte($0) } ?? [])
    }
    if isEscaped { throw PatternError(offset: count - 1, reason: "nothing follows the backslash") }
    self.tokens = tokens
  }

  /// The simpler test for a pattern whose only wildcards are at most one `*` at its beginning and one at its end. `nil`
  /// for any other pattern.
  var simplified: (test: TextTest, bytes: [UInt8])? {
    var inner = tokens[...]
    let begins = inner.first == .any
    if begins { inner.removeFirst() }
    let ends = inner.last == .any
    if ends { inner.removeLast() }
    var bytes: [UInt8] = []
    for token in inner {
      guard case .byte(let byte) = token else { return nil }
      bytes.append(byte)
    }
    // A single asterisk is both, and matches every text.
    if bytes.isEmpty, begins { return (.hasPrefix, []) }
    return (begins ? ends ? .contains : .hasSuffix : ends ? .hasPrefix : .equals, bytes)
  }

  /// The prefix of every matching text, before the first wildcard.
  var prefix: [UInt8] {
    var bytes: [UInt8] = []
    for case .byte(let byte) in tokens.prefix(while: { $0 != .one && $0 != .any }) { bytes.append(byte) }
    return bytes
  }

  /// Whether the whole text matches. The text must be valid UTF-8. Backtracks only to the last asterisk, so the cost is
  /// O(text × pattern) at worst.
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var (at, token) = (0, 0)
    var retry: (at: Int, token: Int)?
    while at < text.count {
      if token < tokens.count {
        switch tokens[token] {
        case .byte(let byte) where byte == text[at]:
          at += 1
          token += 1
          continue
        case .byte: break
        case .one:
          at = Self.end(ofScalarAt: at, text)
          token += 1
          continue
        case .any:
          token += 1
          retry = (at, token)
          continue
        }
      }
      guard let last = retry else { return false }
      at = Self.end(ofScalarAt: last.at, text)
      token = last.token
      retry = (at, token)
    }
    return tokens[token...].allSatisfy { $0 == .any }
  }

  private static func end(ofScalarAt start: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int {
    var end = start + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}
