import RepriseObjectModel

/// An attribute or to-one relationship of any type, by its name.
///
/// Compare it with stored values, for example in a tool.
///
/// ```swift
/// func count<Model: PersistentModel>(_ model: Model.Type, _ name: String, _ value: PropertyValue) throws -> Int {
///   let field = try AnyField<Model>(named: name)
///   return try context.count(Fetch<Model> { _ in field == value })
/// }
/// print(try count(entity.model, "age", .int(36)))
/// ```
///
/// Its conditions work like the conditions of a ``Field`` of the attribute's type. If a value has another type, the
/// fetch throws ``FetchError/wrongType(term:expected:found:)``.
public struct AnyField<Model: PersistentModel>: Sendable {
  private let term: Term

  /// The attribute or to-one relationship with this name or path of names, such as `"owner.name"`.
  ///
  /// - Throws: ``FetchError``, like `Field(named:)`; also for a to-many relationship.
  public init(named name: String) throws { term = try Term(ofValueNamed: name, of: Model.entity) }

  /// Holds if the property has this value. With null, holds if the property has no value.
  public static func == (field: AnyField, value: PropertyValue) -> Condition<Model> { field.compare(.equal, value) }
  /// Holds if the property has another value or none. With null, holds if the property has a value.
  public static func != (field: AnyField, value: PropertyValue) -> Condition<Model> { field.compare(.notEqual, value) }
  /// Holds if the attribute has a value less than this one.
  public static func < (field: AnyField, value: PropertyValue) -> Condition<Model> { field.compare(.less, value) }
  /// Holds if the attribute has a value less than or equal to this one.
  public static func <= (field: AnyField, value: PropertyValue) -> Condition<Model> {
    field.compare(.lessOrEqual, value)
  }
  /// Holds if the attribute has a value greater than this one.
  public static func > (field: AnyField, value: PropertyValue) -> Condition<Model> { field.compare(.greater, value) }
  /// Holds if the attribute has a value greater than or equal to this one.
  public static func >= (field: AnyField, value: PropertyValue) -> Condition<Model> {
    field.compare(.greaterOrEqual, value)
  }

  /// Holds if the property has one of these values.
  public func isIn(_ values: some Sequence<PropertyValue>) -> Condition<Model> {
    Condition(.isIn(term, Array(values)))
  }

  private func compare(_ comparison: Comparison, _ value: PropertyValue) -> Condition<Model> {
    Condition(.compare(term, comparison, value))
  }
}
