public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension URL: AttributeValue {
  /// Stored as a text.
  public static var attributeKind: AttributeKind { .string }

  /// The stored form: the absolute text, so a URL that was relative to another reads as the absolute one.
  public var propertyValue: PropertyValue { .string(absoluteString) }

  /// From the stored form; `nil` for another kind, or a text that is no URL.
  public static func from(_ value: PropertyValue) -> URL? {
    if case .string(let text) = value { URL(string: text) } else { nil }
  }
}
