/// A path below the folder, as the system has it: parts of any bytes but NUL, separated by slashes. Empty for the
/// folder itself.
///
/// It is not a text. A composed and a decomposed name are two files although they look the same, and some names are not
/// UTF-8.
struct PathBytes: Hashable, Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  static let root = PathBytes([])

  func appending(_ name: PathBytes) -> PathBytes {
    bytes.isEmpty ? name : PathBytes(bytes + [UInt8(ascii: "/")] + name.bytes)
  }

  /// The last part.
  var name: ArraySlice<UInt8> {
    bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[($0 + 1)...] } ?? bytes[...]
  }

  /// The path as text, with a replacement character for bytes that are not UTF-8.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  func precedes(_ other: PathBytes) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}

extension PathBytes {
  /// The path in ASCII. Letters, digits and `-._~/` are unchanged, and all other bytes have the form `%2A`. Different
  /// paths have different texts.
  var escaped: String {
    var text = ""
    for byte in bytes {
      let isPlain =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "-._~/0123456789".utf8.contains(byte)
      if isPlain, byte < 0x80 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }

  /// The path of an ``escaped`` text. `nil` for any other text.
  init?(escaped text: Substring) {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let code = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    self.bytes = bytes
  }
}
