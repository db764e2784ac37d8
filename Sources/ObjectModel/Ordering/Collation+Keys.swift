extension Collation {
  /// Returns a text whose binary order is the order of `text` under this collation.
  ///
  /// Texts that are equal under the collation have equal keys. If you sort other rows by the keys of their texts, they
  /// are in the same order as the rows of a fetch. The code that sorts needs only binary comparison. Do not show keys
  /// to people. Takes time in proportion to the length of the text.
  public func key(of text: String) -> String {
    if self == .binary { return text }
    if locale != .none { return collator?.key(of: text) ?? text }
    var key = text
    if rules.contains(.ignoringCase) { key = ComposedText.foldingCase(key) }
    if rules.contains(.ignoringDiacritics) { key = ComposedText.withoutDiacritics(key) }
    return rules.contains(.natural) ? NumberedText.encoded(key) : key
  }

  /// A text as its ``key(of:)-(String)``, and any other value unchanged.
  package func key(of value: PropertyValue) -> PropertyValue {
    guard self != .binary, case .string(let text) = value else { return value }
    return .string(key(of: text))
  }

  /// The plainest of the texts with this key: lower case, no diacritics, no leading zeros.
  package func spelling(ofKey key: String) -> String {
    rules.contains(.natural) ? NumberedText.decoded(key) : key
  }
}

/// Texts whose binary order sorts numbers by size. Each run of digits becomes its number without leading zeros, in
/// ASCII, after the count of its digits.
///
/// The count of digits, less one, is a sum: a `9` for each full nine, then one digit below 9. So a number with fewer
/// digits sorts first, and the beginning of a number compares with other characters as a digit does.
enum NumberedText {
  static func encoded(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { digit($0) != nil }) else { return text }
    var result = String.UnicodeScalarView()
    var digits: [Unicode.Scalar] = []
    func endNumber() {
      if digits.isEmpty { return }
      var rest = digits.count - 1
      while rest >= 9 {
        result.append("9")
        rest -= 9
      }
      result.append(ascii(rest))
      result.append(contentsOf: digits)
      digits.removeAll(keepingCapacity: true)
    }
    for scalar in text.unicodeScalars {
      if let digit = digit(scalar) {
        // Leading zeros are ignored, but a number has at least one digit.
        if digits == ["0"] { digits.removeAll(keepingCapacity: true) }
        digits.append(ascii(digit))
      } else {
        endNumber()
        result.append(scalar)
      }
    }
    endNumber()
    return String(result)
  }

  /// The numbers without the numbers of their digits. A number that was cut off stays encoded, so that different keys
  /// stay different.
  static func decoded(_ key: String) -> String {
    var result = String.UnicodeScalarView()
    let scalars = Array(key.unicodeScalars)
    var at = 0
    while at < scalars.count {
      guard let lead = digit(scalars[at]), scalars[at].isASCII else {
        result.append(scalars[at])
        at += 1
        continue
      }
      var (start, count, last) = (at + 1, 1 + lead, lead)
      while last == 9, start < scalars.count, let next = digit(scalars[start]) {
        (start, count, last) = (start + 1, count + next, next)
      }
      let end = start + count
      let isWhole = last < 9 && end <= scalars.count
      result.append(contentsOf: isWhole ? scalars[start..<end] : scalars[at...])
      at = isWhole ? end : scalars.count
    }
    return String(result)
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    if scalar.isASCII { return scalar.value >= 0x30 && scalar.value <= 0x39 ? Int(scalar.value - 0x30) : nil }
    guard scalar.properties.generalCategory == .decimalNumber else { return nil }
    return scalar.properties.numericValue.map { Int($0) }
  }

  private static func ascii(_ digit: Int) -> Unicode.Scalar { Unicode.Scalar(UInt8(0x30 + digit)) }
}
