import RepriseObjectModel

// Which properties a fetch reads, so that no others are decoded.

extension CompiledFetch {
  /// The object's own properties that its condition reads.
  package var slotsOfCondition: Set<Int> { condition.ownSlots }

  /// The object's own properties that its order and its sections read.
  package var slotsOfOrder: Set<Int> {
    // The sort key of a fetch that an index covers is the row key, with all columns.
    let columns = countedIndex.flatMap { entity.index($0.slot)?.columns } ?? []
    return sorts.reduce(into: (grouping?.term.ownSlots ?? []).union(columns)) { $0.formUnion($1.term.ownSlots) }
  }

  /// The properties that the condition compares on a path along an index.
  package func properties(of path: AccessPath) -> Set<Int> {
    guard case .index(let slot, _) = path else { return [] }
    guard entity.properties[slot].isIndex else { return [slot] }
    return Set(columnRanges.first { $0.slot == slot }?.used.map(\.slot) ?? [])
  }

  /// The slot of the index over what the fetch sorts by first, an attribute of the object itself; `nil` if there is
  /// none.
  package var leadingAttribute: (slot: Int, isAscending: Bool, isNilGreatest: Bool, isLast: Bool)? {
    guard let sort = sorts.first, let slot = sort.term.ownIndex(of: entity) else { return nil }
    return (slot, sort.isAscending, sort.isNilGreatest, sorts.count == 1)
  }

  /// Whether the order is that of birth alone.
  package var isByBirth: Bool { isOrdered && sorts.isEmpty }

  /// Whether there are sort keys.
  package var isSorted: Bool { !sorts.isEmpty }
}

extension CompiledTerm {
  /// The object's own properties that the term reads.
  var ownSlots: Set<Int> {
    if let hop = hops.first { return hop.stores ? [hop.slot] : [] }
    return switch end {
    case .attribute(let slot, _), .toOne(let slot, true, _): [slot]
    case .toOne(_, false, _), .count, .id: []
    case .computed(let computation): computation.terms.reduce(into: []) { $0.formUnion($1.ownSlots) }
    }
  }
}

extension CompiledCondition {
  fileprivate var ownSlots: Set<Int> {
    switch self {
    case .constant: []
    case .not(let condition): condition.ownSlots
    case .and(let conditions), .or(let conditions): conditions.reduce(into: []) { $0.formUnion($1.ownSlots) }
    case .compare(let term, _, _), .isIn(let term, _), .text(let term, _): term.ownSlots
    case .compareTerms(let left, _, let right): left.ownSlots.union(right.ownSlots)
    case .any(let members, _), .all(let members, _): members.hops.first.map { $0.stores ? [$0.slot] : [] } ?? []
    }
  }
}
