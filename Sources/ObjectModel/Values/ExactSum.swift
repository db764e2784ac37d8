/// A running sum of numbers that are stored as bytes, such as Foundation's `Decimal`.
public protocol _ExactSum: Sendable {
  /// Adds a number, given in its stored form.
  mutating func add(_ value: PropertyValue)
  /// The stored form of the sum, or of zero without numbers; `nil` if the type cannot hold the sum.
  var sum: PropertyValue? { get }
  /// The stored form of the mean, or null without numbers; `nil` if the type cannot hold the mean.
  var average: PropertyValue? { get }
}
