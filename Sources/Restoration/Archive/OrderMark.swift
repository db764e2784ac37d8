/// A mark in the order of nodes: nodes with this order or a lower one were last used before this time. A node that is
/// used gets the next order, and keeps its place among its siblings.
struct OrderMark: Hashable, Sendable {
  var order: UInt64
  /// In microseconds since 1970.
  var time: Int64
}

extension [OrderMark] {
  private static let day: Int64 = 86_400_000_000

  /// Adds a mark for the present, if one is due: once a day, or less often if `age` is longer than a month. Removes
  /// marks after the present, because a clock that was ahead made them. Also removes marks that `age` does not need.
  ///
  /// - Parameter age: In microseconds. `nil` if no age is of interest.
  /// - Returns: Whether a mark was due.
  mutating func mark(_ order: UInt64, at time: Int64, age: Int64?) -> Bool {
    removeAll { $0.time > time }
    if let last, Self.age(of: last, at: time) < Swift.max(Self.day, (age ?? 0) / 32) { return false }
    append(OrderMark(order: order, time: time))
    let needed = age.map { place(unusedFor: $0) ?? startIndex } ?? endIndex - 1
    removeFirst(needed)
    return true
  }

  /// The largest order of the nodes that were not used for `age` microseconds. `nil` if that is not known. The last
  /// mark must be of the present.
  func order(unusedFor age: Int64) -> UInt64? { place(unusedFor: age).map { self[$0].order } }

  /// The last mark that is old even if one clock was wrong: the clock at that mark, or the present clock. So a single
  /// launch with a wrong clock makes no node old.
  ///
  /// If the present is wrong, the mark before it gives the age of a mark. If the mark itself is wrong, the nodes were
  /// not used since the next one.
  private func place(unusedFor age: Int64) -> Int? {
    guard let now = last, let before = dropLast().last else { return nil }
    return dropLast().indices.last { place in
      Self.age(of: self[place], at: before.time) >= age && Self.age(of: self[place + 1], at: now.time) >= age
    }
  }

  /// A forged archive may have any times.
  private static func age(of mark: OrderMark, at time: Int64) -> Int64 {
    let (age, overflow) = time.subtractingReportingOverflow(mark.time)
    return overflow ? .max : age
  }
}
