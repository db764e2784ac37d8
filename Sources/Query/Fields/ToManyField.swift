import RepriseObjectModel

/// A to-many relationship as a fetch names it: `$0.items`.
public struct ToManyField<Model: PersistentModel, Element: PersistentModel>: Sendable {
  package let path: FieldPath

  /// The relationship at the end of `path`. For ``FieldSet``s, those that `@Model` writes and those by hand.
  public init(_ path: FieldPath) { self.path = path }

  /// How many members there are; nil behind a missing link.
  public var count: Field<Model, Int> { Field(Term(path, isCount: true)) }

  /// Holds where the condition holds of at least one member.
  public func any(_ condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> {
    Condition(steps: condition(Element.Fields(.root)).steps + [.any(path.names)])
  }

  /// Holds where the condition holds of every member, which includes objects without members.
  public func all(_ condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> {
    Condition(steps: condition(Element.Fields(.root)).steps + [.all(path.names)])
  }
}
