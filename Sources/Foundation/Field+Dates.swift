import RepriseObjectModel
public import RepriseQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Dates computed for each object, for conditions and sort keys: `$0.due - $0.start > 3600`, `$0.due + 86400`.
///
/// The unit is the second, as for `Date`. If an operand is `nil`, the result is `nil`. No index serves computed dates.
extension Field where Value == Date {
  /// The number of seconds from the right date to the left one; `nil` if an operand is `nil`.
  public static func - (left: Field, right: Field) -> Field<Model, Double> {
    Field<Model, Double>(left.term.applying(.subtract, right.term))
  }

  /// The number of seconds from the right date to the left one; `nil` if an operand is `nil`.
  public static func - (left: Field, right: Date) -> Field<Model, Double> {
    Field<Model, Double>(left.term.applying(.subtract, right.propertyValue))
  }

  /// The number of seconds from the right date to the left one; `nil` if an operand is `nil`.
  public static func - (left: Date, right: Field) -> Field<Model, Double> {
    Field<Model, Double>(.applying(.subtract, to: left.propertyValue, right.term))
  }

  /// The date the given number of seconds later; `nil` if an operand is `nil`.
  public static func + (left: Field, right: Double) -> Field {
    Field(left.term.applying(.add, right.propertyValue))
  }

  /// The date the given number of seconds later; `nil` if an operand is `nil`.
  public static func + (left: Field, right: Field<Model, Double>) -> Field {
    Field(left.term.applying(.add, right.term))
  }

  /// The date the given number of seconds earlier; `nil` if an operand is `nil`.
  public static func - (left: Field, right: Double) -> Field {
    Field(left.term.applying(.subtract, right.propertyValue))
  }

  /// The date the given number of seconds earlier; `nil` if an operand is `nil`.
  public static func - (left: Field, right: Field<Model, Double>) -> Field {
    Field(left.term.applying(.subtract, right.term))
  }
}
