import RepriseObjectModel

// The properties that a fetch reads. Only these are decoded.

extension CompiledFetch {
  /// The object's own properties that its condition reads.
  package var slotsOfCondition: SlotSet { condition.ownSlots }

  /// The object's own properties that its order and its sections read.
  package var slotsOfOrder: SlotSet {
    // If an index covers the fetch, the sort key is the row key with all columns.
    var slots = SlotSet(countedIndex.flatMap { entity.index($0.slot)?.columns } ?? [])
    if let grouping { slots.formUnion(grouping.term.ownSlots) }
    for sort in sorts { slots.formUnion(sort.term.ownSlots) }
    return slots
  }

  /// The properties that an index path compares.
  package func properties(of path: AccessPath) -> SlotSet {
    guard case .index(let slot, _) = path else { return [] }
    guard entity.properties[slot].isIndex else { return [slot] }
    return SlotSet(columnRanges.first { $0.slot == slot }?.used.map(\.slot) ?? [])
  }

  /// The slot of the index over the first sort key, if that is an attribute of the object itself. `nil` if there is
  /// none.
  package var leadingAttribute: (slot: Int, isAscending: Bool, isNilGreatest: Bool, isLast: Bool)? {
    guard let sort = sorts.first, let slot = ownIndex(of: sort.term) else { return nil }
    return (slot, sort.isAscending, sort.isNilGreatest, sorts.count == 1)
  }

  /// The counted and search indexes that may serve the fetch.
  package var indexes: [(entity: Entity, slot: Int)] {
    let slots = [countedIndex?.slot, leadingAttribute?.slot].compactMap { $0 }
    let own = slots + columnRanges.filter { !$0.used.isEmpty }.map(\.slot)
    let referred = referenceOrder.map { [(entity: entity, slot: $0.index), (entity: $0.target, slot: $0.targetIndex)] }
    return own.map { (entity, $0) } + access.indexes(of: entity) + (referred ?? [])
  }

  /// Whether the order is the order of creation.
  package var isByBirth: Bool { isOrdered && sorts.isEmpty }

  /// Whether an order of creation is ascending. `nil` for any other order.
  package var ascendsByBirth: Bool? {
    guard isOrdered else { return nil }
    guard let sort = sorts.first else { return true }
    return sort.term.isID ? sort.isAscending : nil
  }

  /// Whether there are sort keys.
  package var isSorted: Bool { !sorts.isEmpty }
}

extension AccessPath {
  /// The indexes on the path.
  fileprivate func indexes(of entity: Entity) -> [(entity: Entity, slot: Int)] {
    switch self {
    case .scan, .objects, .inverse: []
    case .index(let slot, _), .search(let slot, _): [(entity, slot)]
    case .through(_, let target, let path): path.indexes(of: target)
    case .referred(let source, _, let path): path.indexes(of: source)
    case .union(let parts), .intersection(let parts): parts.flatMap { $0.indexes(of: entity) }
    }
  }
}

extension CompiledTerm {
  /// The object's own properties that the term reads.
  var ownSlots: SlotSet {
    if let hop = hops.first { return hop.stores ? [hop.slot] : [] }
    return switch end {
    case .attribute(let slot, _), .toOne(let slot, true, _): [slot]
    case .toOne(_, false, _), .count, .id: []
    case .computed(let computation): computation.terms.reduce(into: []) { $0.formUnion($1.ownSlots) }
    }
  }
}

extension CompiledCondition {
  fileprivate var ownSlots: SlotSet {
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
