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
  /// Whether no digit was rounded away. With one, the sum would depend on the order of the numbers.
  private var isExact = true

  mutating func add(_ value: PropertyValue) {
    guard let number = Decimal.from(value) else { return }
    let before = total
    total += number
    count += 1
    if before.isNaN || number.isNaN { return }
    // An addition aligns the smaller number and may shorten it, or shortens the sum: one of these then differs.
    if total - before != number || total - number != before { isExact = false }
  }

  var sum: PropertyValue? { isExact ? total.propertyValue : nil }
  var average: PropertyValue? {
    if count == 0 { return .null }
    return isExact ? (total / Decimal(count)).propertyValue : nil
  }
}
