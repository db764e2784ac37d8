import RepriseObjectModel
public import RepriseQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Dates computed for each object: `$0.due - $0.start > 3600`, `$0.due + 86400`. In seconds, as with `Date`. What is
/// computed from nil is nil. No index serves them.
extension Field where Value == Date {
  /// How many seconds the left date is after the right one.
  public static func - (left: Field, right: Field) -> Field<Model, Double> {
    Field<Model, Double>(left.term.applying(.subtract, right.term))
  }

  /// How many seconds the left date is after the right one.
  public static func - (left: Field, right: Date) -> Field<Model, Double> {
    Field<Model, Double>(left.term.applying(.subtract, right.propertyValue))
  }

  /// How many seconds the left date is after the right one.
  public static func - (left: Date, right: Field) -> Field<Model, Double> {
    Field<Model, Double>(.applying(.subtract, to: left.propertyValue, right.term))
  }

  /// So many seconds later.
  public static func + (left: Field, right: Double) -> Field {
    Field(left.term.applying(.add, right.propertyValue))
  }

  /// So many seconds later.
  public static func + (left: Field, right: Field<Model, Double>) -> Field {
    Field(left.term.applying(.add, right.term))
  }

  /// So many seconds earlier.
  public static func - (left: Field, right: Double) -> Field {
    Field(left.term.applying(.subtract, right.propertyValue))
  }

  /// So many seconds earlier.
  public static func - (left: Field, right: Field<Model, Double>) -> Field {
    Field(left.term.applying(.subtract, right.term))
  }
}
