public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: AttributeValue {
  /// A UUID is stored as 16 bytes.
  public static var attributeKind: AttributeKind { .uuid }

  /// The stored form.
  public var propertyValue: PropertyValue { .uuid(UniqueID(self)) }

  /// Always true, because every stored UUID converts to a `UUID`.
  public static var readsEveryValue: Bool { true }

  /// Converts a stored value. Returns `nil` for another kind.
  public static func from(_ value: PropertyValue) -> UUID? {
    if case .uuid(let id) = value { UUID(id) } else { nil }
  }

  /// Makes a UUID with the same 128 bits.
  public init(_ id: UniqueID) {
    let bytes = (id.high.bigEndian, id.low.bigEndian)
    self = withUnsafeBytes(of: bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

extension UniqueID {
  /// Makes a ``UniqueID`` with the same 128 bits.
  public init(_ id: UUID) {
    let (high, low) = withUnsafeBytes(of: id.uuid) {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }
}
