/// Lists of texts whose separators are escaped by a backslash.
enum Escaped {
  static func text(_ text: String, commas: Bool = false) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
      case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
      case UInt8(ascii: ",") where commas: bytes += [UInt8(ascii: "\\"), byte]
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The parts between unescaped separators, unescaped; `nil` if the text ends with a backslash.
  static func split(_ text: String, at separator: Unicode.Scalar) -> [String]? {
    var parts: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in text.utf8 {
      if isEscaped {
        isEscaped = false
        switch byte {
        case UInt8(ascii: "t"): parts[parts.count - 1].append(UInt8(ascii: "\t"))
        case UInt8(ascii: "n"): parts[parts.count - 1].append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): parts[parts.count - 1].append(UInt8(ascii: "\r"))
        default: parts[parts.count - 1].append(byte)
        }
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: separator) {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return isEscaped ? nil : parts.map { String(decoding: $0, as: UTF8.self) }
  }
}
