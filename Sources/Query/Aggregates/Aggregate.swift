import RepriseObjectModel

/// A function of all objects that a fetch finds, or of each group of them, as in `$0.price.sum`.
///
/// Objects without a value, and those where it lies behind a missing link, are left out of all of them, as SQL leaves
/// out NULL; only ``FieldSet/objectCount`` counts every object.
///
/// Compared with a value, an aggregate makes a ``GroupCondition``; the aggregate itself is not `Equatable`.
public struct Aggregate<Model: PersistentModel, Value: AttributeValue>: Sendable {
  package let term: AggregateTerm

  init(_ function: AggregateFunction, of term: Term?) { self.term = AggregateTerm(function: function, term: term) }

  /// Groups by this aggregate, the least first; those where it is nil come before all others.
  public var ascending: AggregateOrder<Model> { AggregateOrder(term: .aggregate(term), isAscending: true) }

  /// The reverse of ``ascending``, nil last.
  public var descending: AggregateOrder<Model> { AggregateOrder(term: .aggregate(term), isAscending: false) }
}

/// What is aggregated, and how. `term` is `nil` for the number of objects.
package struct AggregateTerm: Hashable, Sendable, CustomStringConvertible {
  package let function: AggregateFunction
  package let term: Term?

  package var description: String { ((term?.path ?? []) + [function.rawValue]).joined(separator: ".") }
}

package enum AggregateFunction: String, Hashable, Sendable {
  case objectCount
  case count
  case distinctCount
  case sum
  case average
  case minimum
  case maximum
}

extension FieldSet {
  /// The number of objects, whatever values they have: SQL's `count(*)`. In a model that has a property of this name,
  /// the name is that property's.
  public var objectCount: Aggregate<Model, Int> { Aggregate(.objectCount, of: nil) }
}

extension Field {
  /// The number of objects that have a value.
  public var count: Aggregate<Model, Int> { Aggregate(.count, of: term) }

  /// The number of different values. Takes memory for each of them.
  ///
  /// Texts are the same if their composed forms are; of floating-point numbers, -0 is 0, and NaN is NaN.
  public var distinctCount: Aggregate<Model, Int> { Aggregate(.distinctCount, of: term) }

  /// The least value in the order of ``ascending``, but that texts and byte strings are compared to their ends; nil if
  /// there is none. Of values that compare equal, the oldest object's.
  public var minimum: Aggregate<Model, Value?> { Aggregate(.minimum, of: term) }

  /// The greatest value in the order of ``minimum``, so NaN if there is one; nil if there is no value. Of values that
  /// compare equal, the oldest object's.
  public var maximum: Aggregate<Model, Value?> { Aggregate(.maximum, of: term) }
}

extension Field where Value: SummableValue {
  /// The sum of the values; zero if there are none, as with SQLite's `total` and Core Data's `sum:`, and unlike SQL's
  /// `sum`, which is then NULL.
  ///
  /// The sum of integers is exact, whatever the order. If it does not fit into 64 bits, the fetch throws
  /// ``FetchError/overflow(_:)``. Floating-point numbers are summed with a compensation for rounding, as SQLite does
  /// it; the last digits may depend on the order in which objects are read.
  public var sum: Aggregate<Model, Value.Sum> { Aggregate(.sum, of: term) }

  /// The mean of the values; nil if there are none. That of integers never overflows.
  public var average: Aggregate<Model, Value.Average?> { Aggregate(.average, of: term) }
}

/// A number that can be summed. The integers and floating-point numbers conform, and with the product `Reprise`
/// Foundation's `Decimal`.
public protocol SummableValue: AttributeValue {
  /// The type of the sum: wider than that of small integers, so that it holds the sums that are to be expected.
  associatedtype Sum: AttributeValue
  /// The type of the mean: double precision, but for numbers of which that would not have all digits.
  associatedtype Average: AttributeValue = Double
}

extension Int: SummableValue {
  /// 64 bits.
  public typealias Sum = Int
}
extension Int8: SummableValue {
  /// 64 bits.
  public typealias Sum = Int
}
extension Int16: SummableValue {
  /// 64 bits.
  public typealias Sum = Int
}
extension Int32: SummableValue {
  /// 64 bits.
  public typealias Sum = Int
}
extension Int64: SummableValue {
  /// 64 bits.
  public typealias Sum = Int64
}
extension UInt8: SummableValue {
  /// 64 bits, signed.
  public typealias Sum = Int
}
extension UInt16: SummableValue {
  /// 64 bits, signed.
  public typealias Sum = Int
}
extension UInt32: SummableValue {
  /// 64 bits, signed.
  public typealias Sum = Int
}
extension UInt: SummableValue {
  /// 64 bits, unsigned.
  public typealias Sum = UInt
}
extension UInt64: SummableValue {
  /// 64 bits, unsigned.
  public typealias Sum = UInt64
}
extension Double: SummableValue {
  /// Double precision.
  public typealias Sum = Double
}
extension Float: SummableValue {
  /// Double precision.
  public typealias Sum = Double
}
