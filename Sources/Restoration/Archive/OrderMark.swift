/// Nodes with this order, or a lower one, were not used since this time: a node that is used gets the next order, and
/// keeps its place among its siblings.
struct OrderMark: Hashable, Sendable {
  var order: UInt64
  /// In microseconds since 1970.
  var time: Int64
}

extension [OrderMark] {
  private static let day: Int64 = 86_400_000_000

  /// Marks the present, if that is due: once a day, or less often if more than a month is of interest. Marks that no
  /// age needs go.
  ///
  /// - Parameter age: In microseconds; `nil` if no age is of interest.
  /// - Returns: Whether it was due.
  mutating func mark(_ order: UInt64, at time: Int64, age: Int64?) -> Bool {
    if let last, time - last.time < Swift.max(Self.day, (age ?? 0) / 32) { return false }
    let needed = age.flatMap { age in lastIndex { $0.time <= time - age } } ?? (age == nil ? endIndex : startIndex)
    self = self[needed...] + [OrderMark(order: order, time: time)]
    return true
  }

  /// The largest order that was not used since a time; `nil` if that is not known.
  func order(unusedSince time: Int64) -> UInt64? { last { $0.time <= time }?.order }
}
