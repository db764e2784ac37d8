#if SQLite && canImport(GRDB)
import GRDB

/// Values of keys as they stand in identifiers: in ASCII, and different for different values.
enum KeyText {
  static func text(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "n"
    case .int64(let number): "i\(number)"
    case .double(let number): "r" + String(number.bitPattern, radix: 16)
    case .string(let text): "t" + escaped(text)
    case .blob(let data): "b" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  /// Letters and digits as they are, everything else as `%2A`.
  static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let isPlain = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "-._0123456789".utf8.contains(byte)
      if isPlain, byte < 0x80 {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
#endif
