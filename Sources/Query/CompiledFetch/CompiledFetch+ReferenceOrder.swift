import RepriseObjectModel

extension CompiledFetch {
  /// The indexes for a fetch whose first sort key is an attribute behind a to-one. The index of the attribute has the
  /// objects at the other end in this order. Another index has the fetched objects that refer to each of those.
  package struct ReferenceOrder: Hashable, Sendable {
    /// The to-one, which the fetched objects store.
    package let slot: Int
    /// The index with the fetched objects by their target. It is a counted index over several columns that begin with
    /// the to-one. Without such an index, it is the index of the to-one itself, which lacks the objects without a
    /// target.
    package let index: Int
    /// The entity at the other end, and its index over the attribute.
    package let target: Entity
    package let targetIndex: Int
    package let isAscending: Bool
    /// Whether nil is greater than every value.
    package let isNilGreatest: Bool
    /// Whether all matches have a target, and the target has a value.
    package let excludesNil: Bool
    /// The rows of the target's index that contain all matches.
    package let ranges: KeyRanges
    /// Whether ``index`` has the objects of one target in the order of the other sort keys. False if in the reverse
    /// order, and `nil` if in neither.
    package let isRestAscending: Bool?

    /// Whether ``index`` also has the objects without a target, and counts its rows.
    package var isCounted: Bool { index != slot }
    package var isNilFirst: Bool { isAscending != isNilGreatest }
  }

  /// `nil` if the first sort key is not such an attribute, or if the target has no index over it.
  static func referenceOrder(
    _ sorts: [Sort], _ entity: Entity, _ condition: CompiledCondition, _ access: AccessPath, _ schema: ResolvedSchema
  ) -> ReferenceOrder? {
    guard let sort = sorts.first, sort.term.hops.count == 1, sort.term.hops[0].stores,
      case .attribute(let attribute, _) = sort.term.end,
      let target = schema.relationship(sort.term.hops[0].slot, of: entity)?.target,
      let targetIndex = target.index(over: attribute, sort.term.collation, besides: schema.unreadyIndexes(of: target))
    else { return nil }
    let slot = sort.term.hops[0].slot
    let unready = schema.unreadyIndexes(of: entity)
    var indexes: [(slot: Int, isRestAscending: Bool?)] = []
    for index in entity.indexes where !unready.contains(index.slot) {
      let columns = entity.columns(of: index)
      guard columns.first?.slot == slot else { continue }
      indexes.append((index.slot, direction(of: sorts, by: columns.dropFirst())))
    }
    let byTarget =
      indexes.first { $0.isRestAscending != nil } ?? indexes.first ?? (slot, direction(of: sorts, by: []))
    let ranges = access.ranges(of: targetIndex, behind: slot) ?? .all
    let excludesNil =
      condition.excludesNil(of: sort.term) || !ranges.isAll && !ranges.contains([OrderKey.Tag.null.rawValue])
    return ReferenceOrder(
      slot: slot, index: byTarget.slot, target: target, targetIndex: targetIndex, isAscending: sort.isAscending,
      isNilGreatest: sort.isNilGreatest, excludesNil: excludesNil, ranges: excludesNil ? ranges : .all,
      isRestAscending: byTarget.isRestAscending)
  }

  /// Whether all sort keys but the first follow these columns and then the creation, ascending. False if descending,
  /// and `nil` if the sort keys have neither order.
  private static func direction(of sorts: [Sort], by columns: ArraySlice<ColumnTerm>) -> Bool? {
    guard let last = sorts.last, sorts.count - 1 == columns.count else { return nil }
    let isSame = zip(sorts.dropFirst(), columns).allSatisfy { sort, column in
      sort.term.column == column && sort.isAscending == last.isAscending && !sort.isNilGreatest
    }
    return isSame ? last.isAscending : nil
  }
}

extension AccessPath {
  /// The ranges that contain all matches in an index of the entity behind a to-one. `nil` if no such ranges are known.
  fileprivate func ranges(of index: Int, behind slot: Int) -> KeyRanges? {
    switch self {
    case .through(slot, _, .index(index, let ranges)): ranges
    case .intersection(let parts): parts.lazy.compactMap { $0.ranges(of: index, behind: slot) }.first
    default: nil
    }
  }
}
