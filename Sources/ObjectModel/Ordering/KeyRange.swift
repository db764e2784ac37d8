/// A range of row keys in byte order, from `lower` up to but not including `upper`. If `upper` is `nil`, the range has
/// no end.
package struct KeyRange: Hashable, Sendable {
  package var lower: [UInt8]
  package var upper: [UInt8]?

  package init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  package static var all: KeyRange { KeyRange(lower: [], upper: nil) }

  /// The rows with nil in their first column.
  package static var nils: KeyRange { KeyRange(beginningWith: [OrderKey.Tag.null.rawValue]) }

  /// The keys that begin with these bytes.
  package init(beginningWith bytes: [UInt8]) {
    self.init(lower: bytes, upper: OrderKey.successor(of: bytes))
  }

  package var isAll: Bool { lower.isEmpty && upper == nil }

  package var isEmpty: Bool { upper.map { !lower.precedes($0) } ?? false }

  fileprivate func ends(before other: KeyRange) -> Bool {
    guard let upper else { return false }
    return other.upper.map { upper.precedes($0) } ?? true
  }

  package func contains(_ key: [UInt8]) -> Bool {
    !key.precedes(lower) && (upper.map { key.precedes($0) } ?? true)
  }
}

/// A set of row keys as ascending ranges. No range is empty, and no two touch.
package struct KeyRanges: Hashable, Sendable {
  package private(set) var ranges: [KeyRange]

  package init(_ range: KeyRange) { ranges = range.isEmpty ? [] : [range] }

  /// The union of any ranges. O(n log n).
  package init(_ ranges: [KeyRange]) {
    self.ranges = []
    self.ranges.reserveCapacity(ranges.count)
    var places: [Place] = []
    places.reserveCapacity(ranges.count)
    for (index, range) in ranges.enumerated() where !range.isEmpty { places.append(Place(range, index)) }
    places.sort { $0.head == $1.head ? ranges[$0.index].lower.precedes(ranges[$1.index].lower) : $0.head < $1.head }
    for place in places {
      let range = ranges[place.index]
      guard let last = self.ranges.last else {
        self.ranges.append(range)
        continue
      }
      guard let end = last.upper else { return }
      if end.precedes(range.lower) {
        self.ranges.append(range)
      } else if range.upper.map({ end.precedes($0) }) ?? true {
        self.ranges[self.ranges.count - 1].upper = range.upper
      }
    }
  }

  /// A range while ranges are sorted. The number of its first bytes decides most comparisons, and is cheap to move.
  private struct Place {
    let head: UInt64
    let index: Int

    init(_ range: KeyRange, _ index: Int) {
      var head: UInt64 = 0
      withUnsafeMutableBytes(of: &head) { $0.copyBytes(from: range.lower.prefix(8)) }
      self.head = UInt64(bigEndian: head)
      self.index = index
    }
  }

  private init(ascending ranges: [KeyRange]) { self.ranges = ranges }

  package static var all: KeyRanges { KeyRanges(.all) }

  package var isAll: Bool { only?.isAll ?? false }

  /// The range, if there is exactly one.
  package var only: KeyRange? { ranges.count == 1 ? ranges[0] : nil }

  /// O(log n).
  package func contains(_ key: [UInt8]) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if key.precedes(ranges[middle].lower) { high = middle } else { low = middle + 1 }
    }
    return low > 0 && ranges[low - 1].contains(key)
  }

  /// The keys that are in all of these sets. O(n log k) for n ranges in k sets.
  package static func intersection(_ sets: [KeyRanges]) -> KeyRanges { intersection(sets[...]) }

  private static func intersection(_ sets: ArraySlice<KeyRanges>) -> KeyRanges {
    if sets.count < 2 { return sets.first ?? .all }
    let middle = sets.startIndex + sets.count / 2
    return intersection(sets[..<middle]).intersection(intersection(sets[middle...]))
  }

  private func intersection(_ other: KeyRanges) -> KeyRanges {
    var common: [KeyRange] = []
    var (own, others) = (ranges[...], other.ranges[...])
    while let mine = own.first, let theirs = others.first {
      let isMineFirst = mine.ends(before: theirs)
      let range = KeyRange(
        lower: mine.lower.precedes(theirs.lower) ? theirs.lower : mine.lower,
        upper: isMineFirst ? mine.upper : theirs.upper)
      if !range.isEmpty { common.append(range) }
      if isMineFirst { own.removeFirst() } else { others.removeFirst() }
    }
    return KeyRanges(ascending: common)
  }

  /// All keys that are in none of the ranges.
  package var complement: KeyRanges {
    var result: [KeyRange] = []
    var lower: [UInt8]? = []
    for range in ranges {
      if let lower { result.append(KeyRange(lower: lower, upper: range.lower)) }
      lower = range.upper
    }
    if let lower { result.append(KeyRange(lower: lower, upper: nil)) }
    return KeyRanges(ascending: result.filter { !$0.isEmpty })
  }
}
