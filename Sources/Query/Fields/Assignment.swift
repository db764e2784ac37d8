import RepriseObjectModel

/// A new value for a property of every object that a fetch finds, as in `$0.isSold.set(to: true)`.
public struct Assignment<Model: PersistentModel>: Hashable, Sendable {
  package let term: Term
  package let operation: AssignmentOperation
}

package enum AssignmentOperation: Hashable, Sendable {
  case set(PropertyValue)
  case increase(PropertyValue)
}

extension Field {
  /// Assigns this value to the attribute.
  ///
  /// If the value is `nil` and the attribute is not optional, the update throws `UpdateError` when it runs.
  public func set(to value: Value?) -> Assignment<Model> {
    Assignment(term: term, operation: .set(value.propertyValue))
  }
}

extension Field where Value: FixedWidthInteger {
  /// Adds a number to the attribute; a negative number subtracts.
  ///
  /// A missing value stays missing. If a sum does not fit the attribute's type, the update throws `UpdateError` when it
  /// runs.
  public func increase(by value: Value) -> Assignment<Model> {
    Assignment(term: term, operation: .increase(value.propertyValue))
  }
}

extension Field where Value: BinaryFloatingPoint {
  /// Adds a number to the attribute; a negative number subtracts. A missing value stays missing.
  public func increase(by value: Value) -> Assignment<Model> {
    Assignment(term: term, operation: .increase(value.propertyValue))
  }
}

extension ToOneField {
  /// Makes the relationship refer to the object with this ID, or to nothing if `nil`.
  public func set(to id: Target.ID?) -> Assignment<Model> {
    Assignment(term: Term(path), operation: .set(id.map { .reference($0.any) } ?? .null))
  }

  /// Makes the relationship refer to this object. Keeps its ID, not the object.
  public func set(to object: Target) -> Assignment<Model> { set(to: object.id) }

  /// Makes the relationship refer to this object, or to nothing if `nil`. Keeps its ID, not the object.
  @_disfavoredOverload  // So that the literal `nil` is no ambiguity.
  public func set(to object: Target?) -> Assignment<Model> { set(to: object?.id) }
}
