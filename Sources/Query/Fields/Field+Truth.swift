import RepriseObjectModel

/// A `Bool` attribute is a condition by itself: `$0.isDone` holds where `$0.isDone == true` does. A missing value is
/// not true, so `!$0.isDone` holds of it.
extension Field where Value == Bool {
  /// Holds where the attribute is true.
  var isTrue: Condition<Model> { self == true }

  /// Holds where the attribute is false or nil: exactly where `field == true` does not.
  public static prefix func ! (field: Field) -> Condition<Model> { !field.isTrue }

  /// Holds where both are true.
  public static func && (left: Field, right: Field) -> Condition<Model> { left.isTrue && right.isTrue }

  /// Holds where the attribute is true and the condition holds.
  public static func && (left: Field, right: Condition<Model>) -> Condition<Model> { left.isTrue && right }

  /// Holds where the condition holds and the attribute is true.
  public static func && (left: Condition<Model>, right: Field) -> Condition<Model> { left && right.isTrue }

  /// Holds where at least one of them is true.
  public static func || (left: Field, right: Field) -> Condition<Model> { left.isTrue || right.isTrue }

  /// Holds where the attribute is true or the condition holds.
  public static func || (left: Field, right: Condition<Model>) -> Condition<Model> { left.isTrue || right }

  /// Holds where the condition holds or the attribute is true.
  public static func || (left: Condition<Model>, right: Field) -> Condition<Model> { left || right.isTrue }

  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func && (left: Field, right: Bool) -> Condition<Model> { left.isTrue }

  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func && (left: Bool, right: Field) -> Condition<Model> { right.isTrue }

  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func || (left: Field, right: Bool) -> Condition<Model> { left.isTrue }

  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func || (left: Bool, right: Field) -> Condition<Model> { right.isTrue }
}

extension Condition {
  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func && (left: Condition, right: Bool) -> Condition { left }

  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func && (left: Bool, right: Condition) -> Condition { right }

  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func || (left: Condition, right: Bool) -> Condition { left }

  /// No condition.
  @available(*, unavailable, message: "a truth value of the program becomes a condition by 'Condition(…)'")
  public static func || (left: Bool, right: Condition) -> Condition { right }
}

extension Condition {
  /// Holds where the attribute is true; of nil it does not hold. In most places the field itself will do:
  /// `Fetch<Item> { $0.isDone }`.
  public init(_ field: Field<Model, Bool>) { self = field.isTrue }
}
