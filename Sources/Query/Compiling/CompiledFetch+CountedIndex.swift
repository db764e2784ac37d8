import RepriseObjectModel

extension CompiledFetch {
  /// A fetch whose rows are one range of a counted index, in this order, so that counts, n-th rows and ranks come from
  /// the index alone.
  package struct CountedIndex: Hashable, Sendable {
    package let slot: Int
    /// Whether the first row is the least of the range.
    package let isAscending: Bool
    package let range: KeyRange
  }

  /// The counted index that covers this fetch, apart from limit and offset; `nil` if none does.
  package var countedIndex: CountedIndex? {
    guard accessIsExact, sorts.count == 1, !sorts[0].isNilGreatest, let slot = sorts[0].term.ownAttribute,
      entity.properties[slot].attribute?.isIndexed ?? false
    else { return nil }
    switch access {
    case .scan: return CountedIndex(slot: slot, isAscending: sorts[0].isAscending, range: .all)
    case .index(slot, let ranges):
      return ranges.only.map { CountedIndex(slot: slot, isAscending: sorts[0].isAscending, range: $0) }
    default: return nil
    }
  }

  /// Whether the fetch is all of an attribute's index: no condition, and sorted by that attribute alone.
  package func isWholeIndex(_ slot: Int, ascending: Bool) -> Bool {
    countedIndex == CountedIndex(slot: slot, isAscending: ascending, range: .all)
  }
}
