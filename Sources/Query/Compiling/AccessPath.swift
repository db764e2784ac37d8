import RepriseObjectModel

/// How candidates are found: the best way that the condition allows.
package enum AccessPath: Hashable, Sendable {
  /// The rows of the inverse index over the stored to-one in `slot` that begin with `target`.
  case inverse(slot: Int, target: AnyObjectID)
  /// The rows of the index over the attribute in `slot` from `lower` on, and before `upper`; `nil`: to the end.
  ///
  /// Such an index has a row for every object of the entity, nil values first.
  case index(slot: Int, IndexRange)
  /// All objects of the entity.
  case scan
}

/// A range of row keys. Empty if `lower` does not precede `upper`.
package struct IndexRange: Hashable, Sendable {
  package var lower: [UInt8]
  package var upper: [UInt8]?

  package init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  package static var all: IndexRange { IndexRange(lower: [], upper: nil) }

  package var isAll: Bool { lower.isEmpty && upper == nil }

  package func contains(_ key: [UInt8]) -> Bool {
    !key.lexicographicallyPrecedes(lower) && (upper.map { key.lexicographicallyPrecedes($0) } ?? true)
  }

  mutating func narrow(to other: IndexRange) {
    if lower.lexicographicallyPrecedes(other.lower) { lower = other.lower }
    if let bound = other.upper, upper.map({ bound.lexicographicallyPrecedes($0) }) ?? true { upper = bound }
  }
}

extension CompiledFetch {
  /// A fetch whose rows are one range of a counted index, in this order, so that counts, n-th rows and ranks come from
  /// the index alone.
  package struct CountedIndex: Hashable, Sendable {
    package let slot: Int
    /// Whether the first row is the least of the range.
    package let isAscending: Bool
    package let range: IndexRange
  }

  /// The counted index that covers this fetch, apart from limit and offset; `nil` if none does.
  package var countedIndex: CountedIndex? {
    guard sorts.count == 1, let slot = sorts[0].term.ownAttribute,
      entity.properties[slot].attribute?.isIndexed ?? false
    else { return nil }
    if condition == .constant(true) { return CountedIndex(slot: slot, isAscending: sorts[0].isAscending, range: .all) }
    guard accessIsExact, case .index(slot, let range) = access else { return nil }
    return CountedIndex(slot: slot, isAscending: sorts[0].isAscending, range: range)
  }

  /// Whether the fetch is all of an attribute's index: no condition, and sorted by that attribute alone.
  package func isWholeIndex(_ slot: Int, ascending: Bool) -> Bool {
    countedIndex == CountedIndex(slot: slot, isAscending: ascending, range: .all)
  }
}

/// How the access path of a condition is chosen.
struct AccessChoice {
  private(set) var path: AccessPath = .scan
  private(set) var isExact: Bool

  init(_ condition: CompiledCondition, _ entity: Entity) {
    isExact = condition == .constant(true)
    if isExact { return }
    let parts = if case .and(let parts) = condition { parts } else { [condition] }
    var ranges: [Int: (range: IndexRange, parts: Int, isExact: Bool)] = [:]
    for part in parts {
      if case .compare(let term, .equal, .reference(let target)) = part, let slot = term.ownReference {
        path = .inverse(slot: slot, target: target)
        isExact = parts.count == 1
        return
      }
      guard let (slot, range, isExact) = Self.range(part), entity.properties[slot].attribute?.isIndexed ?? false else {
        continue
      }
      var known = ranges[slot] ?? (.all, 0, true)
      known.range.narrow(to: range)
      known.parts += 1
      known.isExact = known.isExact && isExact
      ranges[slot] = known
    }
    let best = ranges.max { left, right in
      let (l, r) = (Self.selectivity(left.value.range), Self.selectivity(right.value.range))
      // The slot breaks ties, so that the choice does not depend on the order of a dictionary.
      return l != r ? l < r : left.key > right.key
    }
    if let (slot, found) = best {
      path = .index(slot: slot, found.range)
      isExact = found.isExact && found.parts == parts.count
    }
  }

  /// An estimate without statistics: the longer the common prefix of both ends, the fewer rows lie between.
  private static func selectivity(_ range: IndexRange) -> Int {
    guard let upper = range.upper else { return 0 }
    return 1 + zip(range.lower, upper).prefix { $0 == $1 }.count
  }

  /// The rows of the index over an attribute of the fetched object that `condition` allows, and whether it holds of all
  /// of them.
  private static func range(_ condition: CompiledCondition) -> (slot: Int, range: IndexRange, isExact: Bool)? {
    switch condition {
    case .compare(let term, let comparison, let value):
      guard let slot = term.ownAttribute, let (range, isExact) = range(comparison, value) else { return nil }
      return (slot, range, isExact)
    case .text(let term, let pattern) where pattern.test == .hasPrefix && pattern.options.isEmpty:
      guard let slot = term.ownAttribute else { return nil }
      let key = OrderKey.bytes(of: .string(String(decoding: pattern.bytes, as: UTF8.self)))
      let run = [UInt8](key.dropLast(2))
      return (slot, IndexRange(lower: run, upper: OrderKey.successor(of: run)), !OrderKey.isCut(key))
    default: return nil
    }
  }

  private static func range(_ comparison: Comparison, _ value: PropertyValue) -> (IndexRange, isExact: Bool)? {
    let key = OrderKey.bytes(of: value)
    let behind = OrderKey.successor(of: key)
    let isExact = !OrderKey.isCut(key)
    // Everything of this type; nil lies before it.
    let all = IndexRange(lower: [key[0]], upper: [key[0] + 1])
    switch comparison {
    case .equal: return (IndexRange(lower: key, upper: behind), isExact)
    case .notEqual: return value.isNull ? (IndexRange(lower: behind ?? key, upper: nil), true) : nil
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      // Never holds, which evaluating it shows.
      if value.isNull { return nil }
      switch comparison {
      case .less: return (IndexRange(lower: all.lower, upper: isExact ? key : behind), isExact)
      case .lessOrEqual: return (IndexRange(lower: all.lower, upper: behind), isExact)
      case .greater: return (IndexRange(lower: isExact ? behind ?? key : key, upper: all.upper), isExact)
      default: return (IndexRange(lower: key, upper: all.upper), isExact)
      }
    }
  }
}
