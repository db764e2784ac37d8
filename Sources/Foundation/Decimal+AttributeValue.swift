public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The stored form of decimal numbers. Its bytes sort like the numbers, so an index over prices is in price order:
///
/// | number | bytes |
/// |---|---|
/// | NaN | `00` |
/// | below zero | `01`, then the bytes of its magnitude, inverted |
/// | zero | `02` |
/// | above zero | `03`, then the bytes of its magnitude |
///
/// The magnitude is 0.d₁d₂… × 10ᵉ without zeros at either end. Its bytes are e + 32,768 as two big-endian bytes, each
/// digit as a byte from 1 to 10, and a zero byte.
extension Decimal: AttributeValue {
  /// A decimal number is stored as bytes. The order of the bytes is the order of the numbers.
  ///
  /// The bytes have all digits. Equal numbers, such as 1 and 1.0, have the same stored form.
  public static var attributeKind: AttributeKind { .bytes }

  /// The stored form.
  public var propertyValue: PropertyValue {
    if isNaN { return .bytes([0]) }
    if self == 0 { return .bytes([2]) }
    let magnitude = Self.magnitude(of: description.utf8)
    return .bytes(self < 0 ? [1] + magnitude.map { ~$0 } : [3] + magnitude)
  }

  /// The stored form of zero.
  public static var zeroForm: PropertyValue { .bytes([2]) }

  /// Converts a stored value. Returns `nil` for another kind, and for bytes that are not a decimal number.
  public static func from(_ value: PropertyValue) -> Decimal? {
    guard case .bytes(let bytes) = value else { return nil }
    switch bytes.first {
    case 0 where bytes.count == 1: return .nan
    case 2 where bytes.count == 1: return Decimal(0)
    case 1: return number(bytes.dropFirst().map { ~$0 }).map { -$0 }
    case 3: return number(Array(bytes.dropFirst()))
    default: return nil
    }
  }

  /// Reads a description, whose decimal point is the same in every locale.
  private static func magnitude(of text: String.UTF8View) -> [UInt8] {
    var digits: [UInt8] = []
    var exponent = 0
    var isBehindPoint = false
    for character in text {
      switch character {
      case UInt8(ascii: "."): isBehindPoint = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = character - UInt8(ascii: "0")
        if digits.isEmpty && digit == 0 {
          // 0.001 is 0.1 × 10⁻².
          if isBehindPoint { exponent -= 1 }
          continue
        }
        digits.append(digit + 1)
        if !isBehindPoint { exponent += 1 }
      default: break
      }
    }
    while digits.last == 1 { digits.removeLast() }
    return withUnsafeBytes(of: UInt16(exponent + 32_768).bigEndian) { [UInt8]($0) } + digits + [0]
  }

  private static func number(_ magnitude: [UInt8]) -> Decimal? {
    // A magnitude has two bytes for the exponent, 1 to 39 digits, and a zero byte.
    guard (4...42).contains(magnitude.count), magnitude.last == 0 else { return nil }
    let exponent = (Int(magnitude[0]) << 8 | Int(magnitude[1])) - 32_768
    let digits = magnitude[2..<(magnitude.count - 1)]
    guard digits.allSatisfy({ (1...10).contains($0) }), digits.first != 1, digits.last != 1 else { return nil }
    var mantissa = UInt128(0)
    for digit in digits {
      let (product, isTooMuch) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, isTooMuchStill) = product.addingReportingOverflow(UInt128(digit - 1))
      if isTooMuch || isTooMuchStill { return nil }
      mantissa = sum
    }
    var power = exponent - digits.count
    // A large exponent needs zeros at the end of the digits: 10¹⁴⁰ is 10²⁰ × 10¹²⁰.
    while power > 127 {
      let (product, isTooMuch) = mantissa.multipliedReportingOverflow(by: 10)
      if isTooMuch { return nil }
      mantissa = product
      power -= 1
    }
    guard power >= -128 else { return nil }
    let billion = UInt128(1_000_000_000_000_000_000)
    var parts: [UInt64] = []
    while mantissa > 0 {
      parts.append(UInt64(mantissa % billion))
      mantissa /= billion
    }
    var number = Decimal(0)
    for part in parts.reversed() { number = number * Decimal(1_000_000_000_000_000_000 as UInt64) + Decimal(part) }
    return number * Decimal(sign: .plus, exponent: power, significand: 1)
  }
}
