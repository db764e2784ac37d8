public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: AttributeValue {
  /// A date is stored as the number that `Date` holds, bit for bit: the seconds since 2001-01-01 00:00:00 UTC.
  public static var attributeKind: AttributeKind { .date }

  /// Always true, because every stored date converts to a `Date`.
  public static var readsEveryValue: Bool { true }

  /// The stored form.
  public var propertyValue: PropertyValue { .date(timeIntervalSinceReferenceDate) }

  /// Converts a stored value. Returns `nil` for another kind.
  public static func from(_ value: PropertyValue) -> Date? {
    if case .date(let seconds) = value { Date(timeIntervalSinceReferenceDate: seconds) } else { nil }
  }
}
