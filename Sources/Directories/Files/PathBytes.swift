/// A path below the folder, as the system has it: any bytes but NUL, parts between slashes. Empty for the folder.
///
/// No text: two names that look the same, composed and decomposed, are two files, and some are no UTF-8.
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

  /// With a replacement character where it is no UTF-8.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  func precedes(_ other: PathBytes) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}

extension PathBytes {
  /// In ASCII, with `%2A` for all bytes except letters, digits and `-._~/`. Different for different paths.
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

  /// The path of an ``escaped`` text. `nil` if it is none.
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
