/// Divides the rows of a list into sections: a function of the value that the list is sorted by first.
///
/// It is monotonic, so the rows of a section are adjacent. A seek to the end of one section in an index finds the next
/// section. Two rows are in one section exactly if ``name(of:)`` is the same for both. Nil and the empty text are the
/// section named "".
///
/// Under a collation, it is a function of the text's key. The key of a locale does not determine the text, so it has no
/// sections of whole values.
package enum SectionFunction: Hashable, Sendable {
  /// The value itself.
  case value
  /// The first Unicode scalar of a text in its composed form: "É" for "École", however it was typed. For other values
  /// the value itself.
  case firstCharacter
  /// The day of a date, on a clock that is `offset` seconds ahead of UTC. For any other value, and for a date without a
  /// ``CalendarDay``, the value itself.
  case day(offset: Int)
}

extension SectionFunction: Codable {
  /// Archives contain the names of the functions: never change one.
  private static let dayName = "day"

  /// Reads the output of ``encode(to:)``. Throws a `DecodingError` for anything else.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    switch name {
    case "value": self = .value
    case "firstCharacter": self = .firstCharacter
    default:
      guard name.hasPrefix(Self.dayName), let offset = Int(name.dropFirst(Self.dayName.count)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(name)' is not a rule for sections")
      }
      self = .day(offset: offset)
    }
  }

  /// Writes the name of the function. For days, the offset follows: "day3600".
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .value: try container.encode("value")
    case .firstCharacter: try container.encode("firstCharacter")
    case .day(let offset): try container.encode("\(Self.dayName)\(offset)")
    }
  }
}

extension SectionFunction {
  /// The section of the rows with this value. Texts are unchanged. Numbers are in decimal, days in ISO 8601, other
  /// dates in seconds since 2001, bytes in hexadecimal after `0x`, and objects in the form of their IDs.
  package func name(of value: PropertyValue, _ collation: Collation = .binary) -> String {
    switch value {
    case .string where collation != .binary:
      return OrderKey.bytes(of: collation.key(of: value)).withUnsafeBytes { name(ofRowKey: $0, collation) }
    case .string(let text) where self == .firstCharacter:
      return ComposedText.firstScalar(of: text).map { String($0) } ?? ""
    case .reference(let id): return id.description
    case .string(let text): return text
    default: return OrderKey.bytes(of: value).withUnsafeBytes { name(ofRowKey: $0, .binary) }
    }
  }

  /// The section of the row with this key of an attribute index; "" for bytes that are no key.
  package func name(ofRowKey key: RawSpan, _ collation: Collation = .binary) -> String {
    key.withUnsafeBytes { name(ofRowKey: $0, collation) }
  }

  /// The least bytes greater than every row key of the row's section. They are greater than the row key, whatever its
  /// bytes are, so seeking from section to section ends.
  package func upperBound(ofRowKey key: RawSpan, _ collation: Collation = .binary) -> [UInt8] {
    key.withUnsafeBytes { bounds(ofRowKey: $0, collation).upper }
  }

  /// Bytes that are not greater than any row key of the row's section, and greater than all row keys of earlier
  /// sections.
  package func lowerBound(ofRowKey key: RawSpan, _ collation: Collation = .binary) -> [UInt8] {
    key.withUnsafeBytes { bounds(ofRowKey: $0, collation).lower }
  }

  package func name(ofRowKey key: [UInt8], _ collation: Collation = .binary) -> String {
    name(ofRowKey: key.span.bytes, collation)
  }
  package func upperBound(ofRowKey key: [UInt8], _ collation: Collation = .binary) -> [UInt8] {
    upperBound(ofRowKey: key.span.bytes, collation)
  }
  package func lowerBound(ofRowKey key: [UInt8], _ collation: Collation = .binary) -> [UInt8] {
    lowerBound(ofRowKey: key.span.bytes, collation)
  }

  private func name(ofRowKey bytes: UnsafeRawBufferPointer, _ collation: Collation) -> String {
    guard let key = ParsedOrderKey(bytes) else { return "" }
    switch key.value {
    case .null: return ""
    case .string where collation.locale != .none:
      return key.content.isEmpty ? "" : collation.letter(ofKey: key.content).name
    case .string(let text):
      return self == .firstCharacter ? collation.firstCharacter(ofKey: text) : collation.spelling(ofKey: text)
    case .bytes(let content): return "0x" + content.map(Self.hexadecimal).joined()
    case .date(let seconds): return day(of: seconds)?.name ?? seconds.description
    case let other: return other.description
    }
  }

  private func bounds(
    ofRowKey bytes: UnsafeRawBufferPointer, _ collation: Collation
  ) -> (lower: [UInt8], upper: [UInt8]) {
    let none = (lower: [UInt8](bytes), upper: bytes + [0])
    guard let key = ParsedOrderKey(bytes) else { return none }
    if key.tag == .null || key.tag == .string && key.content.isEmpty {
      return (lower: [], upper: [OrderKey.Tag.string.rawValue, 0, 1])
    }
    if case .date(let seconds) = key.value, let day = day(of: seconds) {
      return (
        lower: OrderKey.bytes(of: .date(day.start)), upper: OrderKey.bytes(of: .date(day.start + CalendarDay.length))
      )
    }
    let prefix: Int
    if key.tag == .string, self == .firstCharacter, collation.locale != .none {
      let letter = collation.letter(ofKey: key.content)
      let tag = OrderKey.Tag.string.rawValue
      return (lower: [tag] + letter.key, upper: letter.next.map { [tag] + $0 } ?? [tag + 1])
    } else if key.tag == .string, self == .firstCharacter, collation.startsWithNumber(key.content) {
      return (
        lower: [OrderKey.Tag.string.rawValue, UInt8(ascii: "0")],
        upper: [OrderKey.Tag.string.rawValue, UInt8(ascii: "9") + 1]
      )
    } else if key.tag == .string, self == .firstCharacter {
      prefix = 1 + Self.firstScalarWidth(key.content)
    } else {
      prefix = key.length
    }
    guard let upper = OrderKey.successor(of: bytes.prefix(prefix)) else { return none }
    return (lower: [UInt8](bytes.prefix(prefix)), upper: upper)
  }

  private func day(of seconds: Double) -> CalendarDay? {
    if case .day(let offset) = self { CalendarDay(of: seconds, offset: offset) } else { nil }
  }

  /// The number of bytes of the first scalar. `00` counts as two, because it is stored as `00 FF`.
  private static func firstScalarWidth(_ content: UnsafeRawBufferPointer) -> Int {
    let first = content[0]
    let width = first == 0 ? 2 : first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    return min(width, content.count)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

extension Collation {
  /// The letter of the locale's alphabet that a text belongs to, its least key, and the least key of the next letter.
  /// The letter of texts before all letters, such as numbers and signs, is "#".
  fileprivate func letter(ofKey key: UnsafeRawBufferPointer) -> (name: String, key: [UInt8], next: [UInt8]?) {
    let letters = collator?.letters ?? []
    let place = (letters.lastIndex { !key.lexicographicallyPrecedes($0.key) } ?? -1) + 1
    let next = place < letters.count ? letters[place].key : nil
    // No key has the byte 0, so `[1]` is the least key.
    return place == 0 ? ("#", [1], next) : (letters[place - 1].name, letters[place - 1].key, next)
  }

  /// The section of the texts whose keys have the same first character as this key.
  fileprivate func firstCharacter(ofKey key: String) -> String {
    guard let first = key.unicodeScalars.first else { return "" }
    if startsWithNumber(key.utf8) { return "0-9" }
    let upper = first.properties.uppercaseMapping
    // Two letters with one upper case are two sections.
    return rules.contains(.ignoringCase) && upper.lowercased() == String(first) ? upper : String(first)
  }

  /// Whether this is the key of a text that begins with a number. The first digits of such texts are not in order.
  fileprivate func startsWithNumber(_ key: some Sequence<UInt8>) -> Bool {
    guard rules.contains(.natural), let first = key.first(where: { _ in true }) else { return false }
    return first >= UInt8(ascii: "0") && first <= UInt8(ascii: "9")
  }
}
