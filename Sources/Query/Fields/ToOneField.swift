import RepriseObjectModel

/// A to-one relationship as a fetch names it: `$0.owner`, and `$0.owner.name` for what lies behind it.
///
/// What lies behind a missing link reads nil, so no `?` is needed on the way.
@dynamicMemberLookup
public struct ToOneField<Model: PersistentModel, Target: PersistentModel>: Sendable {
  package let path: FieldPath

  /// The relationship at the end of `path`. For ``FieldSet``s, those that `@Model` writes and those by hand.
  public init(_ path: FieldPath) { self.path = path }

  private var term: Term { Term(path) }

  // Computed: stored, the fields of two models that refer to each other would contain each other.
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

  /// Holds where the relationship leads to the object of this ID; of nil, where it leads nowhere.
  public static func == (field: ToOneField, id: Target.ID?) -> Condition<Model> {
    Condition(.compare(field.term, .equal, id.map { .reference($0.any) } ?? .null))
  }

  /// Holds where the relationship leads to another object or nowhere; of nil, where it leads somewhere.
  public static func != (field: ToOneField, id: Target.ID?) -> Condition<Model> { !(field == id) }

  /// Holds where the relationship leads to this object. Keeps its ID, not the object.
  public static func == (field: ToOneField, object: Target) -> Condition<Model> { field == object.id }

  /// Holds where the relationship leads to another object or nowhere. Keeps the ID, not the object.
  public static func != (field: ToOneField, object: Target) -> Condition<Model> { !(field == object.id) }

  /// Holds where the relationship leads to this object; of nil, where it leads nowhere. Keeps its ID, not the object.
  @_disfavoredOverload  // So that the literal `nil` is no ambiguity.
  public static func == (field: ToOneField, object: Target?) -> Condition<Model> { field == object?.id }

  /// Holds where the relationship leads to another object or nowhere; of nil, where it leads somewhere. Keeps the ID,
  /// not the object.
  @_disfavoredOverload
  public static func != (field: ToOneField, object: Target?) -> Condition<Model> { !(field == object?.id) }

  /// Holds where the relationship leads to one of the objects of these IDs.
  public func isIn(_ ids: some Sequence<Target.ID>) -> Condition<Model> {
    Condition(.isIn(term, ids.map { .reference($0.any) }))
  }

  /// Holds where the relationship leads to one of these objects. Keeps their IDs, not the objects.
  public func isIn(_ objects: some Sequence<Target>) -> Condition<Model> { isIn(objects.map(\.id)) }
}
