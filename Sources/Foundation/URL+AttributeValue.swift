public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension URL: AttributeValue {
  /// A URL is stored as a text.
  public static var attributeKind: AttributeKind { .string }

  /// The stored form: the absolute text. A relative URL therefore reads as the absolute one.
  public var propertyValue: PropertyValue { .string(absoluteString) }

  /// Converts a stored value. Returns `nil` for another kind, or for a text that is not a URL.
  public static func from(_ value: PropertyValue) -> URL? {
    if case .string(let text) = value { URL(string: text) } else { nil }
  }
}
