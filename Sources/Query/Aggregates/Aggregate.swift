import RepriseObjectModel

/// A function over all objects of a fetch, or over each group of them, as in `$0.price.sum`.
///
/// Every aggregate ignores objects without a value, as SQL ignores NULL. A value behind an empty relationship counts as
/// missing. Only ``FieldSet/objectCount`` counts every object.
///
/// Comparing an aggregate with a value makes a ``GroupCondition``. The aggregate itself is not `Equatable`.
public struct Aggregate<Model: PersistentModel, Value: AttributeValue>: Sendable {
  package let term: AggregateTerm

  init(_ function: AggregateFunction, of term: Term?) { self.term = AggregateTerm(function: function, term: term) }

  /// Sorts groups by this aggregate, the least first. Groups whose aggregate is `nil` come first.
  public var ascending: AggregateOrder<Model> { AggregateOrder(term: .aggregate(term), isAscending: true) }

  /// Sorts groups by this aggregate, the greatest first. Groups whose aggregate is `nil` come last.
  public var descending: AggregateOrder<Model> { AggregateOrder(term: .aggregate(term), isAscending: false) }
}

/// The term and the function of an aggregate. `term` is `nil` for the number of objects.
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
  /// The number of objects, with or without values: SQL's `count(*)`.
  ///
  /// If the model has a property of this name, the name means that property.
  public var objectCount: Aggregate<Model, Int> { Aggregate(.objectCount, of: nil) }
}

extension Field {
  /// The number of objects that have a value.
  ///
  /// Like a condition `!= nil`, it does not read the values. So it also counts a value that the type cannot hold.
  public var count: Aggregate<Model, Int> { Aggregate(.count, of: term) }

  /// The number of distinct values.
  ///
  /// If the type cannot hold one of the values, the call throws, like `distinct` of a context. Memory use is
  /// proportional to the number of distinct values. Texts are equal if their composed forms are equal. For
  /// floating-point numbers, -0 equals 0, and NaN equals NaN.
  public var distinctCount: Aggregate<Model, Int> { Aggregate(.distinctCount, of: term) }

  /// The least value; `nil` if there is none.
  ///
  /// The order is the same as for ``ascending``. If several values compare equal, the result is the value of the oldest
  /// object.
  public var minimum: Aggregate<Model, Value?> { Aggregate(.minimum, of: term) }

  /// The greatest value; `nil` if there is none.
  ///
  /// The order is the same as for ``minimum``, so the result is NaN if any value is NaN. If several values compare
  /// equal, the result is the value of the oldest object.
  public var maximum: Aggregate<Model, Value?> { Aggregate(.maximum, of: term) }
}

extension Field where Value: SummableValue {
  /// The sum of the values; zero if there are none.
  ///
  /// SQLite's `total` and Core Data's `sum:` also return zero. SQL's `sum` returns NULL instead.
  ///
  /// If a sum of integers does not fit into 64 bits, or a sum of `Decimal` values would lose a digit, the fetch throws
  /// ``FetchError/overflow(_:)``. A sum of floating-point numbers is compensated for rounding, like SQLite's. Its last
  /// digits may depend on the order of the reads.
  public var sum: Aggregate<Model, Value.Sum> { Aggregate(.sum, of: term) }

  /// The mean of the values; `nil` if there are none.
  ///
  /// The mean of integers never overflows. If the sum of `Decimal` values would lose a digit, the fetch throws
  /// ``FetchError/overflow(_:)``.
  public var average: Aggregate<Model, Value.Average?> { Aggregate(.average, of: term) }
}

/// A number that can be summed: the integers, the floating-point numbers, and Foundation's `Decimal`.
///
/// The conformance of `Decimal` is in the product `Reprise`.
public protocol SummableValue: AttributeValue {
  /// The type of the sum, which is wider than small integers so that typical sums fit.
  associatedtype Sum: AttributeValue
  /// The type of the mean: `Double`, except for numbers with more digits than `Double` can hold.
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
