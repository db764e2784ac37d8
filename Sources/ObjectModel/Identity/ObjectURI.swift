/// `reprise://<log uuid>/<Entity>/<object uuid>`: an object of a given log, as text.
///
/// The entity is a hint: an object keeps its URI when its entity is renamed. Other bytes than letters, digits and
/// `-._~` are percent-encoded in it. Each value has one text: any other spelling is not a URI.
package struct ObjectURI: Hashable, Sendable {
  package let log: UniqueID
  package let entity: String
  package let uuid: UniqueID

  package init(log: UniqueID, entity: String, uuid: UniqueID) {
    self.log = log
    self.entity = entity
    self.uuid = uuid
  }

  package init?(_ text: String) {
    let scheme = "reprise://"
    guard text.hasPrefix(scheme) else { return nil }
    let parts = text.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let log = UniqueID(canonical: parts[0]),
      let uuid = UniqueID(canonical: parts[2]), let entity = Self.decoded(parts[1]), !entity.isEmpty
    else { return nil }
    self.init(log: log, entity: entity, uuid: uuid)
  }

  package var text: String { "reprise://\(log)/\(Self.encoded(entity))/\(uuid)" }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func encoded(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      if isPlain(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }

  /// Not `UInt8(_:radix:)`, which also accepts a sign.
  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        // Only bytes that need an encoding have one.
        if isPlain(high << 4 | low) { return nil }
        bytes.append(high << 4 | low)
      } else {
        guard isPlain(byte) else { return nil }
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
