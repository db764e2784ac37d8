import RepriseObjectModel

/// Conditions from `Bool` attributes: `$0.isDone` holds if `$0.isDone == true` holds.
///
/// A missing value is not true, so `!$0.isDone` holds for it.
extension Field where Value == Bool {
  /// Holds where the attribute is true.
  var isTrue: Condition<Model> { self == true }

  /// Holds if the attribute is false or `nil`: the complement of `field == true`.
  public static prefix func ! (field: Field) -> Condition<Model> { !field.isTrue }

  /// Holds if both attributes are true.
  public static func && (left: Field, right: Field) -> Condition<Model> { left.isTrue && right.isTrue }

  /// Holds if the attribute is true and the condition holds.
  public static func && (left: Field, right: Condition<Model>) -> Condition<Model> { left.isTrue && right }

  /// Holds if the condition holds and the attribute is true.
  public static func && (left: Condition<Model>, right: Field) -> Condition<Model> { left && right.isTrue }

  /// Holds if at least one of the attributes is true.
  public static func || (left: Field, right: Field) -> Condition<Model> { left.isTrue || right.isTrue }

  /// Holds if the attribute is true or the condition holds.
  public static func || (left: Field, right: Condition<Model>) -> Condition<Model> { left.isTrue || right }

  /// Holds if the condition holds or the attribute is true.
  public static func || (left: Condition<Model>, right: Field) -> Condition<Model> { left || right.isTrue }

  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func && (left: Field, right: Bool) -> Condition<Model> { left.isTrue }

  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func && (left: Bool, right: Field) -> Condition<Model> { right.isTrue }

  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func || (left: Field, right: Bool) -> Condition<Model> { left.isTrue }

  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func || (left: Bool, right: Field) -> Condition<Model> { right.isTrue }
}

extension Condition {
  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func && (left: Condition, right: Bool) -> Condition { left }

  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func && (left: Bool, right: Condition) -> Condition { right }

  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func || (left: Condition, right: Bool) -> Condition { left }

  /// Unavailable: use `Condition(_:)` for a `Bool` value of the program.
  @available(*, unavailable, message: "make a condition from a Bool of the program with 'Condition(…)'")
  public static func || (left: Bool, right: Condition) -> Condition { right }
}

extension Condition {
  /// Holds if the attribute is true.
  ///
  /// Does not hold for `nil`. In most places, you can use the field itself: `Fetch<Item> { $0.isDone }`.
  public init(_ field: Field<Model, Bool>) { self = field.isTrue }
}
