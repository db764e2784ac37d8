import RepriseObjectModel

/// Makes abbreviated keys without allocation. If the abbreviated key of an object is greater than the
/// ``abbreviation(of:)`` of a sort key, the object's whole sort key is greater, too.
package struct AbbreviatedKey {
  fileprivate let slot: Int
  fileprivate let isAscending: Bool

  /// The abbreviated key of an object. `nil` unless the object has a number or a date in the slot.
  @inline(__always)
  package func key(of values: ContiguousArray<PropertyValue>) -> UInt64? {
    guard slot < values.count, let number = OrderKey.number(of: values[slot]) else { return nil }
    return isAscending ? number : ~number
  }

  package static func abbreviation(of sortKey: [UInt8]) -> UInt64? { OrderKey.number(inKey: sortKey) }
}

extension CompiledFetch {
  /// `nil` unless the first sort key is an attribute of the fetched objects themselves.
  package var abbreviatedKey: AbbreviatedKey? {
    // If the sort key is a row key of several columns, another column may come first.
    if let index = countedIndex, entity.properties[index.slot].isIndex { return nil }
    guard let sort = sorts.first, let slot = sort.term.ownAttribute else { return nil }
    return AbbreviatedKey(slot: slot, isAscending: sort.isAscending)
  }
}
