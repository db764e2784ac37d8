import RepriseObjectModel

/// Divides a text into tokens. Takes O(bytes) for any text.
struct FetchLexer {
  let bytes: [UInt8]
  private let scalars: [Unicode.Scalar]
  /// The first byte of each scalar, and the end.
  private let offsets: [Int]
  private var at = 0

  private init(_ text: String) {
    bytes = Array(text.utf8)
    scalars = Array(text.unicodeScalars)
    var (offsets, offset) = ([0], 0)
    offsets.reserveCapacity(scalars.count + 1)
    for scalar in scalars {
      offset += UTF8.width(scalar)
      offsets.append(offset)
    }
    self.offsets = offsets
  }

  /// The tokens. The last one is the end.
  static func tokens(of text: String) throws(FetchTextError) -> [FetchToken] {
    var lexer = FetchLexer(text)
    var tokens: [FetchToken] = []
    repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
    return tokens
  }

  private mutating func next() throws(FetchTextError) -> FetchToken {
    while let scalar = peek(), scalar == " " || scalar == "\n" || scalar == "\r" || scalar == "\t" { at += 1 }
    let start = at
    let kind = try kind()
    return FetchToken(kind: kind, range: offsets[start]..<offsets[at])
  }

  private mutating func kind() throws(FetchTextError) -> FetchToken.Kind {
    guard let first = peek() else { return .end }
    if let id = uuid(at: at) {
      at += UniqueID.textLength
      return .literal(.uuid(id))
    }
    if isDigit(at) { return try numberOrDate() }
    switch first {
    case "\"", "'": return .literal(.string(try quoted()))
    case "`": return try nameOrReference(try quoted(), isQuoted: true)
    case "x", "X":
      if peek(1) == "\"" { return .literal(.bytes(try hexadecimal())) }
    case "&" where peek(1) == "&", "|" where peek(1) == "|": return .sign(sign(first))
    case "=", "!", "<", ">", "(", ")", "[", "]", ",", ".", "+", "-", "*", "/", "@":
      return .sign(sign(first))
    default: break
    }
    guard FetchWord.isStart(first) else { throw unexpectedSign(first) }
    let start = at
    while let scalar = peek(), FetchWord.isPart(scalar) { at += 1 }
    return try nameOrReference(text(from: start), isQuoted: false)
  }

  private func peek(_ further: Int = 0) -> Unicode.Scalar? {
    at + further < scalars.count ? scalars[at + further] : nil
  }

  private func isDigit(_ place: Int) -> Bool {
    place < scalars.count && scalars[place] >= "0" && scalars[place] <= "9"
  }

  private func text(from start: Int) -> String {
    String(decoding: bytes[offsets[start]..<offsets[at]], as: UTF8.self)
  }

  private mutating func sign(_ first: Unicode.Scalar) -> String {
    let pair = String(first) + (peek(1).map { String($0) } ?? "")
    let isPair = ["==", "!=", "<=", ">=", "<>", "&&", "||"].contains(pair)
    at += isPair ? 2 : 1
    return isPair ? pair : String(first)
  }

  private func unexpectedSign(_ scalar: Unicode.Scalar) -> FetchTextError {
    .unexpected(
      found: "'\(QuotedText.visible(String(scalar)))'",
      expected: "a name, a value or an operator", at: TextPlace(offsets[at], in: bytes))
  }

  // MARK: Names

  private mutating func nameOrReference(_ name: String, isQuoted: Bool) throws(FetchTextError) -> FetchToken.Kind {
    guard peek() == "/", let id = uuid(at: at + 1) else { return isQuoted ? .quoted(name) : .word(name) }
    at += 1 + UniqueID.textLength
    return .literal(.reference(AnyObjectID(EntityName(name), id)))
  }

  /// The UUID that is all of the word at a place.
  private func uuid(at place: Int) -> UniqueID? {
    let end = place + UniqueID.textLength
    guard end <= scalars.count, scalars[place + 8] == "-", !(end < scalars.count && FetchWord.isPart(scalars[end]))
    else { return nil }
    var word = String.UnicodeScalarView()
    word.append(contentsOf: scalars[place..<end])
    return UniqueID(String(word))
  }

  // MARK: Literals

  private func invalid(_ start: Int, _ reason: String, at place: Int? = nil) -> FetchTextError {
    let end = min(max(at, start + 1), start + 40, scalars.count)
    let literal = String(decoding: bytes[offsets[start]..<offsets[end]], as: UTF8.self)
    return .invalidLiteral(
      QuotedText.visible(literal), reason: reason, at: TextPlace(offsets[place ?? start], in: bytes))
  }

  private mutating func quoted() throws(FetchTextError) -> String {
    let start = at
    let mark = scalars[at]
    at += 1
    var found = String.UnicodeScalarView()
    while let scalar = peek() {
      if scalar == mark {
        at += 1
        return String(found)
      }
      if scalar == "\\" {
        found.append(try escape(in: start))
      } else if scalar.properties.generalCategory == .control {
        throw invalid(start, "a line break or another control character in it must be an escape", at: at)
      } else {
        found.append(scalar)
        at += 1
      }
    }
    throw invalid(start, "it has no end")
  }

  private mutating func escape(in start: Int) throws(FetchTextError) -> Unicode.Scalar {
    let place = at
    at += 2
    guard place + 1 < scalars.count else {
      at = scalars.count
      throw invalid(start, "it has no end")
    }
    let letter = scalars[place + 1]
    if letter == "\"" || letter == "'" || letter == "`" || letter == "\\" { return letter }
    if let scalar = QuotedText.unescaped(letter) { return scalar }
    if letter == "u", peek() == "{" {
      at += 1
      let digits = at
      while let scalar = peek(), scalar.properties.isASCIIHexDigit, at - digits < 8 { at += 1 }
      if peek() == "}", let value = UInt32(text(from: digits), radix: 16), let scalar = Unicode.Scalar(value) {
        at += 1
        return scalar
      }
      throw invalid(start, "an escape needs a Unicode scalar in hexadecimal digits, as in \\u{e9}", at: place)
    }
    throw invalid(start, "the escapes are \\n, \\r, \\t, \\0, \\\\, \\\", \\', \\` and \\u{…}", at: place)
  }

  private mutating func hexadecimal() throws(FetchTextError) -> [UInt8] {
    let start = at
    at += 2
    let digits = at
    while let scalar = peek(), scalar.properties.isASCIIHexDigit { at += 1 }
    let reason = "bytes are pairs of hexadecimal digits, as in x\"00ff\""
    guard peek() == "\"", (at - digits).isMultiple(of: 2) else { throw invalid(start, reason, at: at) }
    let values = scalars[digits..<at].map(HexDigit.value)
    at += 1
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private mutating func numberOrDate() throws(FetchTextError) -> FetchToken.Kind {
    let start = at
    while isDigit(at) { at += 1 }
    if at - start == 4, peek() == "-", isDigit(at + 1) { return .literal(.date(try date(from: start))) }
    if peek() == ".", isDigit(at + 1) {
      at += 1
      while isDigit(at) { at += 1 }
    }
    if peek() == "e" || peek() == "E" {
      let signed = peek(1) == "+" || peek(1) == "-"
      if isDigit(at + (signed ? 2 : 1)) {
        at += signed ? 2 : 1
        while isDigit(at) { at += 1 }
      }
    }
    if peek() == "u" || peek() == "U" { at += 1 }
    if let scalar = peek(), FetchWord.isPart(scalar) { throw invalid(start, "a name cannot begin with a digit") }
    return .number(text(from: start))
  }

  private mutating func date(from start: Int) throws(FetchTextError) -> Double {
    while let scalar = peek(), FetchWord.isPart(scalar) || "-:.+".unicodeScalars.contains(scalar) { at += 1 }
    if let seconds = DateText.seconds(text(from: start)) { return seconds }
    throw invalid(start, "a date is written as 2026-11-20 or 2026-11-20T12:00:00Z, and must exist")
  }
}

enum HexDigit {
  /// The value of an ASCII digit.
  static func value(_ scalar: Unicode.Scalar) -> UInt8 {
    let digit = UInt8(truncatingIfNeeded: scalar.value)
    return digit <= UInt8(ascii: "9") ? digit & 15 : (digit & 15) + 9
  }
}
