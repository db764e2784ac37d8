import RepriseObjectModel

extension CompiledFetch {
  /// The counted index of a fetch whose rows are one range of it, in the same order. So counts, n-th rows and ranks
  /// come from the index alone.
  package struct CountedIndex: Hashable, Sendable {
    package let slot: Int
    /// Whether the first row is the least of the range.
    package let isAscending: Bool
    package let range: KeyRange
    /// The offset in a row key of the value of the first sort key.
    package var sectionStart = 0
  }

  func ownIndex(of term: CompiledTerm) -> Int? { term.ownIndex(of: entity, besides: unreadyIndexes) }

  func findCountedIndex() -> CountedIndex? {
    if accessIsExact, sorts.count == 1, !sorts[0].isNilGreatest, let slot = ownIndex(of: sorts[0].term) {
      let isAscending = sorts[0].isAscending
      switch access {
      case .scan: return CountedIndex(slot: slot, isAscending: isAscending, range: .all)
      case .index(slot, let ranges):
        if let range = ranges.only { return CountedIndex(slot: slot, isAscending: isAscending, range: range) }
      default: break
      }
    }
    for columns in columnRanges where columns.isExact {
      guard let range = columns.ranges.only, let order = order(in: columns), order.isWhole, !order.isNilGreatest
      else { continue }
      var start = columns.prefix.count
      if let column = sorts.first?.term.column, let index = entity.index(columns.slot),
        let place = entity.columns(of: index).prefix(columns.fixed).firstIndex(of: column)
      {
        start = columns.starts[place]
      }
      return CountedIndex(slot: columns.slot, isAscending: order.isAscending, range: range, sectionStart: start)
    }
    return nil
  }

  /// The range of a counted index that has exactly the matching objects, in the order of an attribute under a
  /// collation. Also the bytes before the value in every row key of the range. `nil` if there is none.
  package func rangeOfValues(
    in attribute: Int, _ collation: Collation
  ) -> (index: Int, range: KeyRange, prefix: [UInt8])? {
    guard accessIsExact else { return nil }
    if let slot = entity.index(over: attribute, collation, besides: unreadyIndexes) {
      switch access {
      case .scan: return (slot, .all, [])
      case .index(slot, let ranges):
        if let range = ranges.only { return (slot, range, []) }
      default: break
      }
    }
    for columns in columnRanges where columns.isExact {
      guard let range = columns.ranges.only, let index = entity.index(columns.slot),
        entity.columns(of: index).dropFirst(columns.fixed).first == ColumnTerm(slot: attribute, collation: collation)
      else { continue }
      return (columns.slot, range, columns.prefix)
    }
    return nil
  }

  /// The use of the order of an index over several columns for a fetch.
  package struct ColumnOrder: Hashable, Sendable {
    package let isAscending: Bool
    /// Whether the fetch has nil in the first of these columns after all values. The index has nil first, so the rows
    /// are then in two parts.
    package let isNilGreatest: Bool
    /// Whether this is the whole order of the fetch, and not only the order of its first sort keys.
    package let isWhole: Bool
    /// The number of sort keys that the index has in order, without columns that have only one value.
    package let matched: Int
  }

  /// The order of the rows in these ranges. `nil` if the fetch cannot use it.
  package func order(in columns: ColumnRange) -> ColumnOrder? {
    guard isOrdered, let index = entity.index(columns.slot) else { return nil }
    let all = entity.columns(of: index)
    let (fixed, open) = (all.prefix(columns.fixed), all.dropFirst(columns.fixed))
    let varying = sorts.filter { sort in !(sort.term.column.map { fixed.contains($0) } ?? false) }
    let isAscending = (varying.first ?? sorts.last)?.isAscending ?? true
    let isNilGreatest = varying.first?.isNilGreatest ?? false
    let matched = zip(varying.indices, open).prefix { place, column in
      let sort = varying[place]
      return sort.term.column == column && sort.isAscending == isAscending && (place == 0 || !sort.isNilGreatest)
    }.count
    if matched == varying.count, matched == open.count, isAscending == sorts.last?.isAscending ?? true {
      return ColumnOrder(isAscending: isAscending, isNilGreatest: isNilGreatest, isWhole: true, matched: matched)
    }
    // For a part of the order, sort keys are compared with row keys. A column with one value has another place in row
    // keys, so it must not be a sort key.
    guard matched > 0, varying.count == sorts.count else { return nil }
    return ColumnOrder(isAscending: isAscending, isNilGreatest: isNilGreatest, isWhole: false, matched: matched)
  }
}
