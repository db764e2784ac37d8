import Foundation
import RepriseCore
import RepriseDynamic
import RepriseObjectModel

/// Values of attributes as an export has them. Each form gives exactly the same bits again.
enum ExchangeValue {
  /// A value that its property cannot hold.
  struct Mismatch: Error {
    /// The values that the property can hold, as in "an integer".
    let expected: String
  }

  static func json(_ value: PropertyValue) -> JSONText {
    switch value {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .number(String(value))
    case .unsigned(let value): .number(String(value))
    case .double(let value): number(value)
    case .string(let value): .text(value)
    case .bytes(let value): .text(Data(value).base64EncodedString())
    case .date(let seconds):
      // Moments outside the years 0 to 9999 have no date.
      if DateText.seconds(DateText.written(seconds)) == nil {
        number(seconds)
      } else {
        .text(DateText.written(seconds))
      }
    case .uuid(let value): .text(value.description)
    case .reference(let id): .text(id.description)
    case .blob(let blob): .text("sha256:\(blob.sha256):\(blob.byteCount)")
    }
  }

  static func value(_ json: JSONText, of kind: AttributeKind, isOptional: Bool) throws(Mismatch) -> PropertyValue {
    if case .null = json, isOptional { return .null }
    if let value = value(json, of: kind) { return value }
    var expected = name(of: kind)
    if case .number(let digits) = json, kind == .int, isWhole(digits) { expected += " of 64 bits" }
    throw Mismatch(expected: isOptional ? expected + ", or null" : expected)
  }

  private static func value(_ json: JSONText, of kind: AttributeKind) -> PropertyValue? {
    switch (kind, json) {
    case (.bool, .bool(let value)): .bool(value)
    case (.int, .number(let digits)): Int64(digits).map { .int($0) }
    case (.unsigned, .number(let digits)): UInt64(digits).map { .unsigned($0) }
    case (.double, _): double(json).map { .double($0) }
    case (.string, .text(let text)): .string(text)
    case (.bytes, .text(let text)): Data(base64Encoded: text).map { .bytes([UInt8]($0)) }
    case (.date, .text(let text)): (DateText.seconds(text) ?? double(json)).map { .date($0) }
    case (.date, _): double(json).map { .date($0) }
    case (.uuid, .text(let text)): UniqueID(text).map { .uuid($0) }
    case (.blob, .text(let text)): Blob(exchanged: text).map { .blob($0) }
    default: nil
    }
  }

  private static func isWhole(_ digits: String) -> Bool {
    !digits.isEmpty && digits.drop { $0 == "-" }.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  private static func name(of kind: AttributeKind) -> String {
    switch kind {
    case .bool: "true or false"
    case .int: "an integer"
    case .unsigned: "an integer from 0 to \(UInt64.max)"
    case .double: "a number"
    case .string: "a text"
    case .bytes: "bytes in base64"
    case .date: "a date such as \"2026-11-20T18:30:00Z\", or seconds since 2001"
    case .uuid: "a UUID"
    case .blob: "a blob such as \"sha256:…:1024\""
    }
  }

  // MARK: Numbers

  /// JSON has no infinity and no NaN, so these are texts. A NaN with other bits than Swift's has its bits.
  private static func number(_ value: Double) -> JSONText {
    if value.isFinite { return .number(value.description) }
    if value.isInfinite { return .text(value < 0 ? "-inf" : "inf") }
    return .text(value.bitPattern == Double.nan.bitPattern ? "nan" : "nan:\(String(value.bitPattern, radix: 16))")
  }

  private static func double(_ json: JSONText) -> Double? {
    switch json {
    case .number(let digits): Double(digits).flatMap { $0.isFinite ? $0 : nil }
    case .text("inf"): .infinity
    case .text("-inf"): -.infinity
    case .text("nan"): .nan
    case .text(let text) where text.hasPrefix("nan:"):
      UInt64(text.dropFirst(4), radix: 16).map { Double(bitPattern: $0) }.flatMap { $0.isNaN ? $0 : nil }
    default: nil
    }
  }
}

extension Blob {
  /// The blob with a name such as `sha256:e3b0…:1024`.
  fileprivate init?(exchanged text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "sha256", let count = Int(parts[2]) else { return nil }
    self.init(sha256: String(parts[1]), byteCount: count)
  }

  init?(sha256 digits: String, byteCount: Int) {
    guard digits.utf8.count == 64, (0...Self.longest).contains(byteCount),
      digits.utf8.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit })
    else { return nil }
    let words = stride(from: 0, to: 64, by: 16).map { start in
      UInt64(digits.dropFirst(start).prefix(16), radix: 16) ?? 0
    }
    self.init(byteCount: byteCount, words: (words[0], words[1], words[2], words[3]))
  }
}
