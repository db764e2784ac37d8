public import RepriseObjectModel
public import RepriseQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Decimal: SummableValue {
  /// The sum is a `Decimal`.
  public typealias Sum = Decimal
  /// The mean is a `Decimal` of up to 38 digits.
  public typealias Average = Decimal

  /// A sum of up to 38 digits, which is exact or `nil`.
  public static var _exactSum: (any _ExactSum)? { DecimalSum() }
}

private struct DecimalSum: _ExactSum {
  private var total = Decimal(0)
  private var count = 0
  /// Whether the sum has all digits. If a digit is rounded away, the sum depends on the order of the numbers.
  private var isExact = true

  mutating func add(_ value: PropertyValue) {
    guard let number = Decimal.from(value) else { return }
    let before = total
    total += number
    count += 1
    if before.isNaN || number.isNaN { return }
    // An addition may drop digits of the smaller number or of the sum. Then one of these differences is not the
    // original number.
    if total - before != number || total - number != before { isExact = false }
  }

  var sum: PropertyValue? { isExact ? total.propertyValue : nil }
  var average: PropertyValue? {
    if count == 0 { return .null }
    return isExact ? (total / Decimal(count)).propertyValue : nil
  }
}
