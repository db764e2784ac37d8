import RepriseObjectModel

extension ModelIdentifier {
  /// Makes an identifier for a row of a data source from the row's key, for ``DataSource/modelIdentifier(at:)``.
  ///
  /// The same key gives the same identifier in every run, and different keys give different identifiers. The texts may
  /// contain any characters.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the identifiers of all rows of the source, which no other source uses, for example
  ///     `songs:`.
  ///   - key: The values of the row's key, as texts.
  public init(prefix: String, key: String...) {
    self.init(prefix + key.map { KeyText.escaped($0) }.joined(separator: ","))
  }
}

/// Keys of rows in the form for identifiers: in ASCII, and different for different keys.
package enum KeyText {
  /// The text with letters and digits unchanged, and all other bytes in the form `%2A`.
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
