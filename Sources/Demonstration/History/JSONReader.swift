/// Reads one JSON value from bytes.
struct JSONReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func whole() throws(JSONError) -> JSON {
    let value = try value()
    skipSpace()
    guard at == bytes.count else { throw fail("the end") }
    return value
  }

  private func fail(_ expected: String) -> JSONError { JSONError(expected: expected, offset: at) }

  private mutating func skipSpace() {
    while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
  }

  private mutating func next() -> UInt8? {
    skipSpace()
    return at < bytes.count ? bytes[at] : nil
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next() == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func value() throws(JSONError) -> JSON {
    guard let first = next() else { throw fail("a value") }
    switch first {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    let count = text.utf8CodeUnitCount
    guard at + count <= bytes.count, (0..<count).allSatisfy({ bytes[at + $0] == text.utf8Start[$0] }) else {
      throw fail("\(text)")
    }
    at += count
    return value
  }

  /// Enters a list or an object. The nesting limit is 64.
  private mutating func enter() throws(JSONError) {
    at += 1
    depth += 1
    guard depth <= 64 else { throw fail("fewer than 64 levels") }
  }

  private mutating func object() throws(JSONError) -> JSON {
    try enter()
    defer { depth -= 1 }
    var members: [(key: String, value: JSON)] = []
    if take("}") { return .object(members) }
    repeat {
      guard next() == UInt8(ascii: "\"") else { throw fail("a key") }
      let key = try string()
      guard take(":") else { throw fail("a colon") }
      members.append((key, try value()))
    } while take(",")
    guard take("}") else { throw fail("',' or '}'") }
    return .object(members)
  }

  private mutating func array() throws(JSONError) -> JSON {
    try enter()
    defer { depth -= 1 }
    var elements: [JSON] = []
    if take("]") { return .array(elements) }
    repeat { elements.append(try value()) } while take(",")
    guard take("]") else { throw fail("',' or ']'") }
    return .array(elements)
  }

  private mutating func number() throws(JSONError) -> JSON {
    let start = at
    let isPart: (UInt8) -> Bool = { ($0 >= 0x30 && $0 <= 0x39) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }
    while at < bytes.count, isPart(bytes[at]) { at += 1 }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if let integer = Int(text) { return .integer(integer) }
    if let double = Double(text) { return .double(double) }
    at = start
    throw fail("a value")
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) -> String {
    at += 1
    let start = at
    // Most have nothing to unescape.
    while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\") { at += 1 }
    var text = Array(bytes[start..<at])
    while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
      if bytes[at] == UInt8(ascii: "\\") {
        at += 1
        try escape(into: &text)
      } else {
        text.append(bytes[at])
        at += 1
      }
    }
    guard at < bytes.count else { throw fail("'\"'") }
    at += 1
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    guard at < bytes.count else { throw fail("an escape") }
    let kind = bytes[at]
    at += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(kind)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += Array(String(try scalar()).utf8)
    default: throw fail("an escape")
    }
  }

  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    var code = UInt32(try unit())
    if (0xD800..<0xDC00).contains(code), at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"),
      bytes[at + 1] == UInt8(ascii: "u")
    {
      at += 2
      let low = UInt32(try unit())
      guard (0xDC00..<0xE000).contains(low) else { throw fail("the second half of a surrogate pair") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw fail("a Unicode scalar") }
    return scalar
  }

  private mutating func unit() throws(JSONError) -> UInt16 {
    guard at + 4 <= bytes.count,
      let unit = UInt16(String(decoding: bytes[at..<(at + 4)], as: UTF8.self), radix: 16)
    else { throw fail("four hexadecimal digits") }
    at += 4
    return unit
  }
}
