import RepriseObjectModel

/// An attribute or a to-one of whatever type, by its name: for tools that compare it with values as they are stored.
///
/// ```swift
/// func count<Model: PersistentModel>(_ model: Model.Type, _ name: String, _ value: PropertyValue) throws -> Int {
///   let field = try AnyField<Model>(named: name)
///   return try context.count(Fetch<Model> { _ in field == value })
/// }
/// print(try count(entity.model, "age", .int(36)))
/// ```
///
/// Conditions are those of a ``Field`` of the attribute's type. With a value of another kind a fetch throws
/// ``FetchError/wrongType(term:expected:found:)``.
public struct AnyField<Model: PersistentModel>: Sendable {
  private let term: Term

  /// The attribute or to-one with this name, or with this path of names: `"owner.name"`.
  ///
  /// - Throws: ``FetchError``, as `Field(named:)`; also for a to-many.
  public init(named name: String) throws { term = try Term(ofValueNamed: name, of: Model.entity) }

  /// Holds where the property has this value; of null, where it has none.
  public static func == (field: AnyField, value: PropertyValue) -> Condition<Model> { field.compare(.equal, value) }
  /// Holds where the property has another value or none; of null, where it has one.
  public static func != (field: AnyField, value: PropertyValue) -> Condition<Model> { field.compare(.notEqual, value) }
  /// Holds where the attribute has a lesser value.
  public static func < (field: AnyField, value: PropertyValue) -> Condition<Model> { field.compare(.less, value) }
  /// Holds where the attribute has this value or a lesser one.
  public static func <= (field: AnyField, value: PropertyValue) -> Condition<Model> {
    field.compare(.lessOrEqual, value)
  }
  /// Holds where the attribute has a greater value.
  public static func > (field: AnyField, value: PropertyValue) -> Condition<Model> { field.compare(.greater, value) }
  /// Holds where the attribute has this value or a greater one.
  public static func >= (field: AnyField, value: PropertyValue) -> Condition<Model> {
    field.compare(.greaterOrEqual, value)
  }

  /// Holds where the property has one of these values.
  public func isIn(_ values: some Sequence<PropertyValue>) -> Condition<Model> {
    Condition(.isIn(term, Array(values)))
  }

  private func compare(_ comparison: Comparison, _ value: PropertyValue) -> Condition<Model> {
    Condition(.compare(term, comparison, value))
  }
}
