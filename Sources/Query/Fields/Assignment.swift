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
  /// Gives the attribute this value; nil only if it is optional.
  public func set(to value: Value?) -> Assignment<Model> {
    Assignment(term: term, operation: .set(value.propertyValue))
  }
}

extension Field where Value: FixedWidthInteger {
  /// Adds to the attribute, or subtracts a negative number. Where there is no value it stays so. A sum that does not
  /// fit the attribute's type is refused when the update runs.
  public func increase(by value: Value) -> Assignment<Model> {
    Assignment(term: term, operation: .increase(value.propertyValue))
  }
}

extension Field where Value: BinaryFloatingPoint {
  /// Adds to the attribute, or subtracts a negative number. Where there is no value it stays so.
  public func increase(by value: Value) -> Assignment<Model> {
    Assignment(term: term, operation: .increase(value.propertyValue))
  }
}

extension ToOneField {
  /// Points the relationship at the object of this ID; nil points it nowhere.
  public func set(to id: Target.ID?) -> Assignment<Model> {
    Assignment(term: Term(path), operation: .set(id.map { .reference($0.any) } ?? .null))
  }

  /// Points the relationship at this object. Keeps its ID, not the object.
  public func set(to object: Target) -> Assignment<Model> { set(to: object.id) }

  /// Points the relationship at this object; nil points it nowhere. Keeps its ID, not the object.
  @_disfavoredOverload  // So that the literal `nil` is no ambiguity.
  public func set(to object: Target?) -> Assignment<Model> { set(to: object?.id) }
}
