/// Reads one JSON text of RFC 8259.
///
/// Foundation's parser rounds large numbers, and accepts the same key twice.
struct JSONParser {
  /// A text that is no JSON.
  struct Failure: Error, Equatable {
    let reason: String
    /// The number of the byte, from 1.
    let byte: Int
  }

  /// An export has four levels. A limit keeps the stack small.
  private static let deepest = 32

  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  static func parse(_ bytes: [UInt8]) throws(Failure) -> JSONText {
    let result = bytes.withUnsafeBytes { bytes in
      var parser = JSONParser(bytes)
      return Result { () throws(Failure) in try parser.whole() }
    }
    return try result.get()
  }

  private mutating func whole() throws(Failure) -> JSONText {
    let value = try value(depth: 0)
    skipSpace()
    if place < bytes.count { throw failure("the line goes on after its value") }
    return value
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private func failure(_ reason: String) -> Failure { Failure(reason: reason, byte: place + 1) }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
  }

  private mutating func skip(_ sign: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: sign) else { return false }
    place += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> JSONText {
    if depth > Self.deepest { throw failure("it has more than \(Self.deepest) levels") }
    skipSpace()
    guard let byte = next else { throw failure("a value is missing") }
    switch byte {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "["): return .list(try list(depth))
    case UInt8(ascii: "{"): return .members(try members(depth))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default:
      for (word, value) in [("null", JSONText.null), ("true", .bool(true)), ("false", .bool(false))] {
        if bytes[place...].starts(with: word.utf8) {
          place += word.utf8.count
          return value
        }
      }
      throw failure("a value is missing")
    }
  }

  private mutating func list(_ depth: Int) throws(Failure) -> [JSONText] {
    place += 1
    skipSpace()
    if skip("]") { return [] }
    var values: [JSONText] = []
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if skip("]") { return values }
      guard skip(",") else { throw failure("a comma or ']' is missing") }
    }
  }

  private mutating func members(_ depth: Int) throws(Failure) -> [JSONText.Member] {
    place += 1
    skipSpace()
    if skip("}") { return [] }
    var members: [JSONText.Member] = []
    var keys: Set<String> = []
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a key is missing") }
      let key = try text()
      guard keys.insert(key).inserted else { throw failure("the key '\(PlainText.line(key))' occurs twice") }
      skipSpace()
      guard skip(":") else { throw failure("a colon is missing") }
      members.append(JSONText.Member(key, try value(depth: depth + 1)))
      skipSpace()
      if skip("}") { return members }
      guard skip(",") else { throw failure("a comma or '}' is missing") }
    }
  }

  private mutating func number() throws(Failure) -> String {
    let start = place
    _ = skip("-")
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      try digits()
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func digits() throws(Failure) {
    let start = place
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { place += 1 }
    if place == start { throw failure("a digit is missing") }
  }

  // MARK: Texts

  private mutating func text() throws(Failure) -> String {
    place += 1
    var text: [UInt8] = []
    while true {
      let start = place
      while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { place += 1 }
      text.append(contentsOf: bytes[start..<place])
      guard let byte = next else { throw failure("a text has no end") }
      if byte < 0x20 { throw failure("a text has a control character") }
      place += 1
      if byte == UInt8(ascii: "\"") { break }
      text.append(contentsOf: String(try escaped()).utf8)
    }
    guard let text = String(validating: text, as: UTF8.self) else { throw failure("a text is no UTF-8") }
    return text
  }

  private mutating func escaped() throws(Failure) -> Unicode.Scalar {
    guard let byte = next else { throw failure("a text has no end") }
    place += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "u"):
      let first = try unit()
      if let scalar = Unicode.Scalar(first) { return scalar }
      guard first < 0xDC00, skip("\\"), skip("u") else { throw failure("half of a surrogate pair is missing") }
      let second = try unit()
      guard (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      else { throw failure("half of a surrogate pair is missing") }
      return scalar
    default: throw failure("an escape is unknown")
    }
  }

  private mutating func unit() throws(Failure) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap(Self.digit) else { throw failure("an escape needs four hexadecimal digits") }
      unit = unit << 4 | digit
      place += 1
    }
    return unit
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
