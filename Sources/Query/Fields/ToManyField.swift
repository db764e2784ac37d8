import RepriseObjectModel

/// A to-many relationship as a fetch names it: `$0.items`.
public struct ToManyField<Model: PersistentModel, Element: PersistentModel>: Sendable {
  package let path: FieldPath

  /// The relationship at the end of `path`. For ``FieldSet``s, those that `@Model` writes and those by hand.
  public init(_ path: FieldPath) { self.path = path }

  /// How many members there are; nil behind a missing link.
  public var count: Field<Model, Int> { Field(Term(path, isCount: true)) }

  /// Holds where the condition holds of at least one member.
  public func any(@ConditionBuilder<Element> _ condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> {
    Condition(steps: condition(Element.Fields(.root)).steps + [.any(path.names)])
  }

  /// Holds where the condition holds of every member, which includes objects without members.
  public func all(@ConditionBuilder<Element> _ condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> {
    Condition(steps: condition(Element.Fields(.root)).steps + [.all(path.names)])
  }

  /// Holds where this object is a member. Keeps its ID, not the object.
  public func contains(_ member: Element) -> Condition<Model> { contains(member.id) }

  /// Holds where the object with this ID is a member. Served by looking up the member and the object that it belongs
  /// to, however many others there are.
  public func contains(_ id: Element.ID) -> Condition<Model> { any { $0.id == id } }

  /// Holds where there is no member, which includes objects behind a missing link: exactly where `any` holds of no
  /// condition at all.
  public var isEmpty: Condition<Model> { !any { _ in Condition(true) } }
}
