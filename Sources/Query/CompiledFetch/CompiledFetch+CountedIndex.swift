import RepriseObjectModel

extension CompiledFetch {
  /// A fetch whose rows are one range of a counted index, in this order. So counts, n-th rows and ranks come from the
  /// index alone.
  package struct CountedIndex: Hashable, Sendable {
    package let slot: Int
    /// Whether the first row is the least of the range.
    package let isAscending: Bool
    package let range: KeyRange
    /// Where in a row key the value begins that the fetch is sorted by first.
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

  /// How the order of an index over several columns serves a fetch.
  package struct ColumnOrder: Hashable, Sendable {
    package let isAscending: Bool
    /// Whether the fetch has nil in the first of these columns behind all values. The index has it in front of them, so
    /// the rows are then in two parts.
    package let isNilGreatest: Bool
    /// Whether it is the order of the fetch. If not, it is the order of its first sort keys.
    package let isWhole: Bool
    /// How many sort keys are in order. Columns after a column with a single value count, too.
    package let matched: Int
  }

  /// The order that the rows in these ranges have. `nil` if it is of no use to the fetch.
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
    // Sort keys would have the one value as well, which row keys have in other places.
    guard matched > 0, varying.count == sorts.count else { return nil }
    return ColumnOrder(isAscending: isAscending, isNilGreatest: isNilGreatest, isWhole: false, matched: matched)
  }
}
