import RepriseCore
import RepriseTool

/// Values as the page gets them: short, and without anything that a number of JavaScript cannot hold.
package enum ValueForm {
  /// The longest text that is sent unasked, in characters.
  static let longestText = 300
  /// Integers beyond it are not exact in JavaScript.
  private static let largestInteger: Int64 = 1 << 53

  /// - Parameter label: Returns a text for an object.
  package static func json(_ value: PropertyValue, label: (AnyObjectID) -> String? = { _ in nil }) -> JSON {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let number):
      return abs(number.clampedAgainstOverflow) <= largestInteger ? .int(Int(number)) : tagged("integer", "\(number)")
    case .unsigned(let number):
      return number <= UInt64(largestInteger) ? .int(Int(number)) : tagged("integer", "\(number)")
    case .double(let number): return number.isFinite ? .double(number) : tagged("number", "\(number)")
    case .string(let text):
      // Characters are counted only up to the limit, because a text can have millions.
      guard let end = text.index(text.startIndex, offsetBy: longestText, limitedBy: text.endIndex), end < text.endIndex
      else { return .text(text) }
      return tagged("long", String(text[..<end]), ["count": .int(text.utf8.count)])
    case .bytes(let bytes):
      let start = bytes.prefix(16).map { hexadecimal($0) }.joined()
      return tagged("bytes", start, ["count": .int(bytes.count)])
    case .date(let seconds):
      return tagged("date", ValueText.line(value), ["seconds": seconds.isFinite ? .double(seconds) : .null])
    case .uuid(let id): return tagged("uuid", id.description)
    case .reference(let id):
      return .object(["kind": .text("reference"), "id": .text(id.description), "label": .text(label(id))])
    case .blob(let blob): return tagged("blob", blob.sha256, ["count": .int(blob.byteCount)])
    }
  }

  private static func tagged(_ kind: String, _ text: String, _ others: [String: JSON] = [:]) -> JSON {
    .object(["kind": .text(kind), "text": .text(text)].merging(others) { first, _ in first })
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

extension Int64 {
  /// The least integer has no positive counterpart.
  fileprivate var clampedAgainstOverflow: Int64 { self == .min ? .max : self }
}
