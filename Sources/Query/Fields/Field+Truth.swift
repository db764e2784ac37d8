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
}

extension Condition {
  /// Holds where the attribute is true; of nil it does not hold. In most places the field itself will do:
  /// `Fetch<Item> { $0.isDone }`.
  public init(_ field: Field<Model, Bool>) { self = field.isTrue }

  /// Holds where a `Bool` attribute is true: `Condition<Item> { $0.isDone }`.
  public init(_ field: (Model.Fields) -> Field<Model, Bool>) { self = field(Model.Fields(.root)).isTrue }
}

extension ToManyField {
  /// Holds where a `Bool` attribute of at least one member is true.
  public func any(_ condition: (Element.Fields) -> Field<Element, Bool>) -> Condition<Model> {
    any { fields in condition(fields).isTrue }
  }

  /// Holds where a `Bool` attribute of every member is true, which includes objects without members.
  public func all(_ condition: (Element.Fields) -> Field<Element, Bool>) -> Condition<Model> {
    all { fields in condition(fields).isTrue }
  }
}
