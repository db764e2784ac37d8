import RepriseObjectModel

// Comparisons with the value on the left: `10 < $0.value`.

extension Field {
  /// Holds if the attribute has this value. With `nil`, holds if the attribute has no value.
  public static func == (value: Value?, field: Field) -> Condition<Model> { field == value }

  /// Holds if the attribute has another value or none. With `nil`, holds if the attribute has a value.
  public static func != (value: Value?, field: Field) -> Condition<Model> { field != value }
}

extension Field where Value: Comparable {
  /// Holds if the attribute has a value greater than this one.
  public static func < (value: Value, field: Field) -> Condition<Model> { field > value }

  /// Holds if the attribute has a value greater than or equal to this one.
  public static func <= (value: Value, field: Field) -> Condition<Model> { field >= value }

  /// Holds if the attribute has a value less than this one.
  public static func > (value: Value, field: Field) -> Condition<Model> { field < value }

  /// Holds if the attribute has a value less than or equal to this one.
  public static func >= (value: Value, field: Field) -> Condition<Model> { field <= value }
}
