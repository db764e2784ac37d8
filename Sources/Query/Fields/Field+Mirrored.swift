import RepriseObjectModel

// Comparisons with the value on the left: `10 < $0.value`.

extension Field {
  /// Holds where the attribute has this value; of nil, where it has none.
  public static func == (value: Value?, field: Field) -> Condition<Model> { field == value }

  /// Holds where the attribute has another value or none; of nil, where it has one.
  public static func != (value: Value?, field: Field) -> Condition<Model> { field != value }
}

extension Field where Value: Comparable {
  /// Holds where the attribute has a greater value.
  public static func < (value: Value, field: Field) -> Condition<Model> { field > value }

  /// Holds where the attribute has this value or a greater one.
  public static func <= (value: Value, field: Field) -> Condition<Model> { field >= value }

  /// Holds where the attribute has a lesser value.
  public static func > (value: Value, field: Field) -> Condition<Model> { field < value }

  /// Holds where the attribute has this value or a lesser one.
  public static func >= (value: Value, field: Field) -> Condition<Model> { field <= value }
}
