import RepriseObjectModel

/// A to-many relationship in the closure of a fetch: `$0.items`.
public struct ToManyField<Model: PersistentModel, Element: PersistentModel>: Sendable {
  package let path: FieldPath

  /// Makes the relationship at the end of `path`. Use it only to write a ``FieldSet`` by hand, as `@Model` does.
  public init(_ path: FieldPath) { self.path = path }

  /// The number of members; `nil` if the path goes through an empty relationship.
  public var count: Field<Model, Int> { Field(Term(path, isCount: true)) }

  /// Holds if the condition holds for at least one member.
  public func any(@ConditionBuilder<Element> _ condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> {
    Condition(steps: condition(Element.Fields(.root)).steps + [.any(path.names)])
  }

  /// Holds if the condition holds for every member. Also holds if there are no members.
  public func all(@ConditionBuilder<Element> _ condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> {
    Condition(steps: condition(Element.Fields(.root)).steps + [.all(path.names)])
  }

  /// Holds if this object is a member. Keeps its ID, not the object.
  public func contains(_ member: Element) -> Condition<Model> { contains(member.id) }

  /// Holds if the object with this ID is a member.
  ///
  /// The test looks up the member and the object that the member belongs to, however many other objects there are.
  public func contains(_ id: Element.ID) -> Condition<Model> { any { $0.id == id } }

  /// Holds if there are no members. Also holds if the path goes through an empty relationship.
  public var isEmpty: Condition<Model> { !any { _ in Condition(true) } }
}
