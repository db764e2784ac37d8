/// A sum under construction of numbers that are stored as bytes, as those of Foundation's `Decimal` are.
public protocol _ExactSum: Sendable {
  /// Adds a number in its stored form.
  mutating func add(_ value: PropertyValue)
  /// The stored form of the sum, zero of no numbers; `nil` if the type has no number for it.
  var sum: PropertyValue? { get }
  /// The stored form of the mean, null of no numbers; `nil` if the type has no number for it.
  var average: PropertyValue? { get }
}
