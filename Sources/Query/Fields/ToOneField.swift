import RepriseObjectModel

/// A to-one relationship in the closure of a fetch: `$0.owner`, or `$0.owner.name` for a property of its object.
///
/// If the relationship is empty, properties behind it are `nil`. You therefore need no `?` in the path.
@dynamicMemberLookup
public struct ToOneField<Model: PersistentModel, Target: PersistentModel>: Sendable {
  package let path: FieldPath

  /// Makes the relationship at the end of `path`. Use it only to write a ``FieldSet`` by hand, as `@Model` does.
  public init(_ path: FieldPath) { self.path = path }

  private var term: Term { Term(path) }

  // Computed, because stored fields of two models that refer to each other would contain each other without end.
  private var fields: Target.Fields { Target.Fields(path) }

  /// An attribute of the object at the other end.
  public subscript<Value>(dynamicMember field: KeyPath<Target.Fields, Field<Target, Value>>) -> Field<Model, Value> {
    Field(fields[keyPath: field].term)
  }

  /// A to-one relationship of the object at the other end.
  public subscript<Next>(
    dynamicMember field: KeyPath<Target.Fields, ToOneField<Target, Next>>
  ) -> ToOneField<Model, Next> {
    ToOneField<Model, Next>(fields[keyPath: field].path)
  }

  /// A to-many relationship of the object at the other end.
  public subscript<Element>(
    dynamicMember field: KeyPath<Target.Fields, ToManyField<Target, Element>>
  ) -> ToManyField<Model, Element> {
    ToManyField(fields[keyPath: field].path)
  }

  /// Holds if the relationship refers to the object with this ID. With `nil`, holds if the relationship is empty.
  public static func == (field: ToOneField, id: Target.ID?) -> Condition<Model> {
    Condition(.compare(field.term, .equal, id.map { .reference($0.any) } ?? .null))
  }

  /// Holds if the relationship refers to another object or is empty.
  ///
  /// With `nil`, holds if the relationship is not empty.
  public static func != (field: ToOneField, id: Target.ID?) -> Condition<Model> { !(field == id) }

  /// Holds if the relationship refers to this object. Keeps its ID, not the object.
  public static func == (field: ToOneField, object: Target) -> Condition<Model> { field == object.id }

  /// Holds if the relationship refers to another object or is empty. Keeps the ID, not the object.
  public static func != (field: ToOneField, object: Target) -> Condition<Model> { !(field == object.id) }

  /// Holds if the relationship refers to this object.
  ///
  /// With `nil`, holds if the relationship is empty. Keeps the object's ID, not the object.
  @_disfavoredOverload  // So that the literal `nil` is no ambiguity.
  public static func == (field: ToOneField, object: Target?) -> Condition<Model> { field == object?.id }

  /// Holds if the relationship refers to another object or is empty.
  ///
  /// With `nil`, holds if the relationship is not empty. Keeps the object's ID, not the object.
  @_disfavoredOverload
  public static func != (field: ToOneField, object: Target?) -> Condition<Model> { !(field == object?.id) }

  /// Holds if the relationship refers to an object with one of these IDs.
  public func isIn(_ ids: some Sequence<Target.ID>) -> Condition<Model> {
    Condition(.isIn(term, ids.map { .reference($0.any) }))
  }

  /// Holds if the relationship refers to one of these objects. Keeps their IDs, not the objects.
  public func isIn(_ objects: some Sequence<Target>) -> Condition<Model> { isIn(objects.map(\.id)) }
}
