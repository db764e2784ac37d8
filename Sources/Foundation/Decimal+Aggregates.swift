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

  /// A sum that adds numbers of up to 38 digits.
  public static var _exactSum: (any _ExactSum)? { DecimalSum() }
}

private struct DecimalSum: _ExactSum {
  private var total = Decimal(0)
  private var count = 0

  mutating func add(_ value: PropertyValue) {
    guard let number = Decimal.from(value) else { return }
    total += number
    count += 1
  }

  var sum: PropertyValue? { total.propertyValue }
  var average: PropertyValue? { count == 0 ? .null : (total / Decimal(count)).propertyValue }
}
