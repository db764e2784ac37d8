import RepriseObjectModel

extension ModelIdentifier {
  /// Names a row of a data source by what tells it from others, for ``DataSource/modelIdentifier(at:)``: the same for
  /// the same key in every run, and another one for any other key, whatever its texts have in them.
  ///
  /// - Parameters:
  ///   - prefix: What the identifiers of all rows of the source begin with, and those of no other source: `songs:`.
  ///   - key: The values of the row's key, as texts.
  public init(prefix: String, key: String...) {
    self.init(prefix + key.map { KeyText.escaped($0) }.joined(separator: ","))
  }
}

/// Keys of rows as they stand in identifiers: in ASCII, and different for different keys.
package enum KeyText {
  /// Letters and digits as they are, everything else as `%2A`.
  package static func escaped(_ text: String) -> String {
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
