import RepriseObjectModel

/// Makes the condition of a ``Fetch`` from a closure: a condition, a `Bool` attribute, or an `if` or `switch`.
///
/// ```swift
/// func items(named name: String?) -> Fetch<Item> {
///   Fetch { item in
///     if let name { item.name == name }
///   }
/// }
/// ```
///
/// An `if` without `else` that does not apply leaves all objects in. `if` and `switch` are decided when the fetch is
/// made, by values of the program. To decide by values of an object, use `&&`, `||` and `!`.
@resultBuilder
public enum ConditionBuilder<Model: PersistentModel> {
  /// The condition itself.
  public static func buildExpression(_ condition: Condition<Model>) -> Condition<Model> { condition }

  /// Holds if the attribute is true.
  public static func buildExpression(_ field: Field<Model, Bool>) -> Condition<Model> { field.isTrue }

  /// Unavailable: only a `Bool` attribute is a condition. Compare any other attribute with a value.
  @available(*, unavailable, message: "only a Bool attribute is a condition by itself; compare this one with a value")
  public static func buildExpression<Value>(_ field: Field<Model, Value>) -> Condition<Model> { Condition(true) }

  /// Unavailable: a relationship is not a condition. Compare it, as in `$0.owner != nil`.
  @available(*, unavailable, message: "a relationship is not a condition: compare it, as in '$0.owner != nil'")
  public static func buildExpression<Target>(_ field: ToOneField<Model, Target>) -> Condition<Model> {
    Condition(true)
  }

  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func buildExpression(_ constant: Bool) -> Condition<Model> { Condition(constant) }

  /// The only condition. Join several with `&&`.
  public static func buildBlock(_ condition: Condition<Model>) -> Condition<Model> { condition }

  /// The condition of an `if` without `else`. If the `if` does not apply, it holds for every object.
  public static func buildOptional(_ condition: Condition<Model>?) -> Condition<Model> {
    condition ?? Condition(true)
  }

  /// The condition in the branch of `if`.
  public static func buildEither(first condition: Condition<Model>) -> Condition<Model> { condition }

  /// The condition in the branch of `else`.
  public static func buildEither(second condition: Condition<Model>) -> Condition<Model> { condition }
}

extension Condition {
  /// Makes a condition to keep, to use in fetches, and to test an object with `holds(for:)`:
  ///
  /// ```swift
  /// let isDue = Condition<Item> { !$0.isDone && $0.due < today }
  /// ```
  public init(@ConditionBuilder<Model> _ condition: (Model.Fields) -> Condition) {
    self = condition(Model.Fields(.root))
  }
}
