/// The Swift type of an attribute, in an error.
public struct AttributeType: Hashable, Sendable {
  package let type: any AttributeValue.Type

  package init(_ type: any AttributeValue.Type) { self.type = type }

  /// Returns whether both are the same type.
  public static func == (lhs: AttributeType, rhs: AttributeType) -> Bool {
    ObjectIdentifier(lhs.type) == ObjectIdentifier(rhs.type)
  }

  /// Hashes the type.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

extension AttributeType: CustomStringConvertible {
  /// The name of the type.
  public var description: String { "\(type)" }
}
