import RepriseObjectModel

/// Numbers as literals.
enum NumberText {
  /// The shortest digits that give the same bits again. A NaN with other bits than Swift's has them as bytes.
  static func written(_ number: Double) -> String {
    if number.isNaN, number.bitPattern != Double.nan.bitPattern {
      let digits = String(number.bitPattern, radix: 16)
      return "nan(x\"\(String(repeating: "0", count: 16 - digits.utf8.count))\(digits)\")"
    }
    return number.description
  }

  enum Problem: String, Error {
    case tooLarge = "it does not fit into 64 bits"
    case unsigned = "an unsigned number has no sign and no fraction"
  }

  /// Digits with a point or an exponent are a `Double`. Other digits are the first type that holds the number: `Int64`,
  /// or `UInt64` for greater ones. `u` behind the digits makes a `UInt64`.
  static func value(_ digits: String, isNegative: Bool) throws(Problem) -> PropertyValue {
    if digits.hasSuffix("u") || digits.hasSuffix("U") {
      let digits = digits.dropLast()
      guard !isNegative, digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
        throw .unsigned
      }
      guard let number = UInt64(digits) else { throw .tooLarge }
      return .unsigned(number)
    }
    let text = (isNegative ? "-" : "") + digits
    if let number = Int64(text) { return .int(number) }
    if let number = UInt64(text) { return .unsigned(number) }
    guard !digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let number = Double(text), number.isFinite
    else { throw .tooLarge }
    return .double(number)
  }
}
