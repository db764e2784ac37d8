public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Data: AttributeValue {
  /// `Data` is stored byte for byte.
  public static var attributeKind: AttributeKind { .bytes }

  /// The stored form: a copy of the bytes.
  public var propertyValue: PropertyValue { .bytes([UInt8](self)) }

  /// Always true, because all stored bytes convert to a `Data`.
  public static var readsEveryValue: Bool { true }

  /// Converts a stored value by copying the bytes. Returns `nil` for another kind.
  public static func from(_ value: PropertyValue) -> Data? {
    if case .bytes(let bytes) = value { Data(bytes) } else { nil }
  }
}
