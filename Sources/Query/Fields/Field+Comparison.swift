import RepriseObjectModel

extension Field {
  /// Holds where the attribute has this value; of nil, where it has none.
  public static func == (field: Field, value: Value?) -> Condition<Model> {
    Condition(.compare(field.term, .equal, value.propertyValue))
  }

  /// Holds where the attribute has another value or none; of nil, where it has one.
  public static func != (field: Field, value: Value?) -> Condition<Model> {
    Condition(.compare(field.term, .notEqual, value.propertyValue))
  }

  /// Holds where both have the same value, or neither has one.
  public static func == (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .equal, right.term))
  }

  /// Holds where they have different values, or one of the two has none.
  public static func != (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .notEqual, right.term))
  }

  /// Holds where the attribute has one of these values.
  public func isIn(_ values: some Sequence<Value>) -> Condition<Model> {
    Condition(.isIn(term, values.map(\.propertyValue)))
  }
}

/// Values are compared as they are stored: of an enum, the raw values.
extension Field where Value: Comparable {
  /// Holds where the attribute has a lesser value.
  public static func < (field: Field, value: Value) -> Condition<Model> {
    Condition(.compare(field.term, .less, value.propertyValue))
  }

  /// Holds where the attribute has this value or a lesser one.
  public static func <= (field: Field, value: Value) -> Condition<Model> {
    Condition(.compare(field.term, .lessOrEqual, value.propertyValue))
  }

  /// Holds where the attribute has a greater value.
  public static func > (field: Field, value: Value) -> Condition<Model> {
    Condition(.compare(field.term, .greater, value.propertyValue))
  }

  /// Holds where the attribute has this value or a greater one.
  public static func >= (field: Field, value: Value) -> Condition<Model> {
    Condition(.compare(field.term, .greaterOrEqual, value.propertyValue))
  }

  /// Holds where both have values, and the left one is less.
  public static func < (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .less, right.term))
  }

  /// Holds where both have values, and the left one is not greater.
  public static func <= (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .lessOrEqual, right.term))
  }

  /// Holds where both have values, and the left one is greater.
  public static func > (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .greater, right.term))
  }

  /// Holds where both have values, and the left one is not less.
  public static func >= (left: Field, right: Field) -> Condition<Model> {
    Condition(.compareTerms(left.term, .greaterOrEqual, right.term))
  }
}
