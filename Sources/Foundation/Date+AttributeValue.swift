public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: AttributeValue {
  /// Stored as the number of seconds since 2001-01-01 00:00:00 UTC that `Date` itself holds, to the last bit.
  public static var attributeKind: AttributeKind { .date }

  /// True.
  public static var readsEveryValue: Bool { true }

  /// The stored form.
  public var propertyValue: PropertyValue { .date(timeIntervalSinceReferenceDate) }

  /// From the stored form; `nil` for another kind.
  public static func from(_ value: PropertyValue) -> Date? {
    if case .date(let seconds) = value { Date(timeIntervalSinceReferenceDate: seconds) } else { nil }
  }
}
