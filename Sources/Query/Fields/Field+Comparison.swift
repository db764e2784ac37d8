import RepriseObjectModel

extension Field {
  /// Holds if the attribute has this value. With `nil`, holds if the attribute has no value.
  public static func == (field: Field, value: Value?) -> Condition<Model> {
    Condition(.compare(field.term, .equal, value.propertyValue))
  }

  /// Holds if the attribute has another value or none. With `nil`, holds if the attribute has a value.
  public static func != (field: Field, value: Value?) -> Condition<Model> {
    Condition(.compare(field.term, .notEqual, value.propertyValue))
  }

  /// Holds if both fields have the same value, or neither has a value.
  public static func == (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .equal, right.term))
  }

  /// Holds if the fields have different values, or only one of them has a value.
  public static func != (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .notEqual, right.term))
  }

  /// Holds if the attribute has one of these values.
  public func isIn(_ values: some Sequence<Value>) -> Condition<Model> {
    Condition(.isIn(term, values.map(\.propertyValue)))
  }
}

/// Comparisons of stored values. They compare enums by raw value.
extension Field where Value: Comparable {
  /// Holds if the attribute has a value less than this one. An enum is compared by its raw value.
  public static func < (field: Field, value: Value) -> Condition<Model> {
    Condition(.compare(field.term, .less, value.propertyValue))
  }

  /// Holds if the attribute has a value less than or equal to this one. An enum is compared by its raw value.
  public static func <= (field: Field, value: Value) -> Condition<Model> {
    Condition(.compare(field.term, .lessOrEqual, value.propertyValue))
  }

  /// Holds if the attribute has a value greater than this one. An enum is compared by its raw value.
  public static func > (field: Field, value: Value) -> Condition<Model> {
    Condition(.compare(field.term, .greater, value.propertyValue))
  }

  /// Holds if the attribute has a value greater than or equal to this one. An enum is compared by its raw value.
  public static func >= (field: Field, value: Value) -> Condition<Model> {
    Condition(.compare(field.term, .greaterOrEqual, value.propertyValue))
  }

  /// Holds if both fields have values, and the left one is less.
  public static func < (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .less, right.term))
  }

  /// Holds if both fields have values, and the left one is less or equal.
  public static func <= (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .lessOrEqual, right.term))
  }

  /// Holds if both fields have values, and the left one is greater.
  public static func > (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .greater, right.term))
  }

  /// Holds if both fields have values, and the left one is greater or equal.
  public static func >= (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .greaterOrEqual, right.term))
  }
}
