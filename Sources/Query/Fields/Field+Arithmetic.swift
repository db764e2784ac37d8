import RepriseObjectModel

/// Numbers computed for each object: `$0.price * $0.count > 100`, also to sort by. No index serves them.
///
/// The operands are of one type, and the result is of that type: integers are computed in 64 bits, floating-point
/// numbers in double precision. ``asDouble`` converts an integer. Nothing traps: where an operand is nil, an integer
/// overflows, or is divided by zero, the result is nil, as a division by zero is NULL in SQLite and MySQL. Division of
/// integers drops the fraction. Floating-point numbers follow IEEE 754, so 1 / 0 is infinity and 0 / 0 is NaN.
extension Field where Value: Numeric {
  /// The sum.
  public static func + (left: Field, right: Field) -> Field { Field(left.term.applying(.add, right.term)) }

  /// The sum.
  public static func + (left: Field, right: Value) -> Field { Field(left.term.applying(.add, right.propertyValue)) }

  /// The sum.
  public static func + (left: Value, right: Field) -> Field {
    Field(.applying(.add, to: left.propertyValue, right.term))
  }

  /// The difference.
  public static func - (left: Field, right: Field) -> Field { Field(left.term.applying(.subtract, right.term)) }

  /// The difference.
  public static func - (left: Field, right: Value) -> Field {
    Field(left.term.applying(.subtract, right.propertyValue))
  }

  /// The difference.
  public static func - (left: Value, right: Field) -> Field {
    Field(.applying(.subtract, to: left.propertyValue, right.term))
  }

  /// The product.
  public static func * (left: Field, right: Field) -> Field { Field(left.term.applying(.multiply, right.term)) }

  /// The product.
  public static func * (left: Field, right: Value) -> Field {
    Field(left.term.applying(.multiply, right.propertyValue))
  }

  /// The product.
  public static func * (left: Value, right: Field) -> Field {
    Field(.applying(.multiply, to: left.propertyValue, right.term))
  }

  /// The quotient; of integers without its fraction, and nil where the divisor is 0.
  public static func / (left: Field, right: Field) -> Field { Field(left.term.applying(.divide, right.term)) }

  /// The quotient; of integers without its fraction, and nil where the divisor is 0.
  public static func / (left: Field, right: Value) -> Field {
    Field(left.term.applying(.divide, right.propertyValue))
  }

  /// The quotient; of integers without its fraction, and nil where the divisor is 0.
  public static func / (left: Value, right: Field) -> Field {
    Field(.applying(.divide, to: left.propertyValue, right.term))
  }
}

extension Field where Value: SignedNumeric {
  /// The number with the other sign; nil of the least integer, which has no counterpart.
  public static prefix func - (field: Field) -> Field { Field(field.term.applying(.negate)) }
}

extension Field where Value: BinaryInteger {
  /// The nearest floating-point number, to compute with others: `$0.count.asDouble * $0.weight`.
  public var asDouble: Field<Model, Double> { Field<Model, Double>(term.applying(.asDouble)) }
}
