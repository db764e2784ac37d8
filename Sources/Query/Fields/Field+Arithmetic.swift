import RepriseObjectModel

/// Numbers computed for each object, for conditions and sort keys: `$0.price * $0.count > 100`. No index serves them.
///
/// Both operands and the result have the same type. Integers are computed in 64 bits, floating-point numbers in double
/// precision. ``asDouble`` converts an integer. No computation traps: the result is `nil` if an operand is `nil`, an
/// integer overflows, or an integer is divided by zero. SQLite and MySQL also return NULL for a division by zero.
/// Integer division drops the fraction. Floating-point numbers follow IEEE 754, so 1 / 0 is infinity and 0 / 0 is NaN.
extension Field where Value: Numeric {
  /// The sum of two fields; `nil` if an operand is `nil` or an integer overflows.
  public static func + (left: Field, right: Field) -> Field { Field(left.term.applying(.add, right.term)) }

  /// The sum of a field and a constant; `nil` if an operand is `nil` or an integer overflows.
  public static func + (left: Field, right: Value) -> Field { Field(left.term.applying(.add, right.propertyValue)) }

  /// The sum of a constant and a field; `nil` if an operand is `nil` or an integer overflows.
  public static func + (left: Value, right: Field) -> Field {
    Field(.applying(.add, to: left.propertyValue, right.term))
  }

  /// The difference of two fields; `nil` if an operand is `nil` or an integer overflows.
  public static func - (left: Field, right: Field) -> Field { Field(left.term.applying(.subtract, right.term)) }

  /// The difference of a field and a constant; `nil` if an operand is `nil` or an integer overflows.
  public static func - (left: Field, right: Value) -> Field {
    Field(left.term.applying(.subtract, right.propertyValue))
  }

  /// The difference of a constant and a field; `nil` if an operand is `nil` or an integer overflows.
  public static func - (left: Value, right: Field) -> Field {
    Field(.applying(.subtract, to: left.propertyValue, right.term))
  }

  /// The product of two fields; `nil` if an operand is `nil` or an integer overflows.
  public static func * (left: Field, right: Field) -> Field { Field(left.term.applying(.multiply, right.term)) }

  /// The product of a field and a constant; `nil` if an operand is `nil` or an integer overflows.
  public static func * (left: Field, right: Value) -> Field {
    Field(left.term.applying(.multiply, right.propertyValue))
  }

  /// The product of a constant and a field; `nil` if an operand is `nil` or an integer overflows.
  public static func * (left: Value, right: Field) -> Field {
    Field(.applying(.multiply, to: left.propertyValue, right.term))
  }

  /// The quotient of two fields; `nil` if an operand is `nil`.
  ///
  /// For integers, it has no fraction, and is `nil` if the divisor is 0 or the quotient overflows.
  public static func / (left: Field, right: Field) -> Field { Field(left.term.applying(.divide, right.term)) }

  /// The quotient of a field and a constant; `nil` if an operand is `nil`.
  ///
  /// For integers, it has no fraction, and is `nil` if the divisor is 0 or the quotient overflows.
  public static func / (left: Field, right: Value) -> Field {
    Field(left.term.applying(.divide, right.propertyValue))
  }

  /// The quotient of a constant and a field; `nil` if an operand is `nil`.
  ///
  /// For integers, it has no fraction, and is `nil` if the divisor is 0 or the quotient overflows.
  public static func / (left: Value, right: Field) -> Field {
    Field(.applying(.divide, to: left.propertyValue, right.term))
  }
}

extension Field where Value: SignedNumeric {
  /// The number with the opposite sign; `nil` for the least 64-bit integer, whose opposite does not fit.
  public static prefix func - (field: Field) -> Field { Field(field.term.applying(.negate)) }
}

extension Field where Value: BinaryInteger {
  /// The nearest floating-point number, to combine with other such numbers: `$0.count.asDouble * $0.weight`.
  public var asDouble: Field<Model, Double> { Field<Model, Double>(term.applying(.asDouble)) }
}
