import RepriseObjectModel

/// Makes a condition of what stands between the braces of a ``Fetch``: a condition, a `Bool` attribute by itself, or
/// one of several by `if` and `switch`.
///
/// ```swift
/// func items(named name: String?) -> Fetch<Item> {
///   Fetch { item in
///     if let name { item.name == name }
///   }
/// }
/// ```
///
/// An `if` without `else` leaves every object in where it does not apply. It decides when the fetch is made, by the
/// program's own values; what depends on an object is written with `&&`, `||` and `!`.
@resultBuilder
public enum ConditionBuilder<Model: PersistentModel> {
  /// The condition.
  public static func buildExpression(_ condition: Condition<Model>) -> Condition<Model> { condition }

  /// Holds where the attribute is true.
  public static func buildExpression(_ field: Field<Model, Bool>) -> Condition<Model> { field.isTrue }

  /// No condition.
  @available(*, unavailable, message: "only a Bool attribute is a condition by itself; compare this one with a value")
  public static func buildExpression<Value>(_ field: Field<Model, Value>) -> Condition<Model> { Condition(true) }

  /// No condition.
  @available(*, unavailable, message: "a relationship is no condition; compare it, as in '$0.owner != nil'")
  public static func buildExpression<Target>(_ field: ToOneField<Model, Target>) -> Condition<Model> {
    Condition(true)
  }

  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func buildExpression(_ constant: Bool) -> Condition<Model> { Condition(constant) }

  /// The only condition. Several are joined with `&&`.
  public static func buildBlock(_ condition: Condition<Model>) -> Condition<Model> { condition }

  /// The condition of an `if` without `else`; holds of every object where it does not apply.
  public static func buildOptional(_ condition: Condition<Model>?) -> Condition<Model> {
    condition ?? Condition(true)
  }

  /// The condition behind `if`.
  public static func buildEither(first condition: Condition<Model>) -> Condition<Model> { condition }

  /// The condition behind `else`.
  public static func buildEither(second condition: Condition<Model>) -> Condition<Model> { condition }
}

extension Condition {
  /// A condition to keep, to put into fetches, and to ask of an object with `holds(for:)`:
  ///
  /// ```swift
  /// let isDue = Condition<Item> { !$0.isDone && $0.due < today }
  /// ```
  public init(@ConditionBuilder<Model> _ condition: (Model.Fields) -> Condition) {
    self = condition(Model.Fields(.root))
  }
}
