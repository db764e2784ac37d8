import RepriseObjectModel

/// A value that a property cannot hold. The call refused it, and nothing changed.
///
/// ``SaveRefusal/invalidValues``, `PropertyError.invalidValue` and `UpdateError.invalidValue` have it. Assign another
/// value.
public struct InvalidValue: Equatable, Sendable {
  /// The reason why a property cannot hold a value.
  public enum Reason: Equatable, Sendable {
    /// The value is of another kind, or refers to an object of another model. `expected` names the content of the
    /// property.
    case typeMismatch(expected: String)
    /// The value is of the right kind, but not valid for the property's type in the model: a number out of range, or a
    /// raw value without a case.
    case outOfRange
    /// The value is null, and the property is not optional. Assign a value.
    case missing
    /// The value refers to an object that was never saved and is not in the context. Insert that object first.
    case unsavedTarget
    /// The store does not have the bytes of the blob. Make the blob in this store.
    case missingBlob
  }

  /// The object that has the property.
  public let object: AnyObjectID
  /// The name of the attribute or relationship.
  public let property: String
  /// The value that the property cannot hold.
  public let value: PropertyValue
  /// The reason why the property cannot hold the value.
  public let reason: Reason
  private let types: ValueTypes

  /// - type: The type of the property, if it is an attribute.
  package init(
    object: AnyObjectID, property: String, value: PropertyValue, reason: Reason,
    type: (any AttributeValue.Type)? = nil
  ) {
    self.object = object
    self.property = property
    self.value = value
    self.reason = reason
    types = ValueTypes([type])
  }
}

extension InvalidValue: CustomStringConvertible {
  /// The object, the property, the value and the reason.
  public var description: String {
    switch reason {
    case .typeMismatch(let expected): "\(object).\(property): \(types.text(value)) is not \(expected)"
    case .outOfRange:
      "\(object).\(property): \(types.name().map { "\($0), its type in the model," } ?? "its type in the model") "
        + "cannot hold \(types.text(value))"
    case .missing: "\(object).\(property) must have a value, and is not optional"
    case .unsavedTarget: "\(object).\(property): there is no object \(value), and there never was one"
    case .missingBlob: "\(object).\(property): the store does not have the bytes of the \(value)"
    }
  }
}
