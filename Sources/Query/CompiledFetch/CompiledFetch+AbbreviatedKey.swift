import RepriseObjectModel

/// Makes abbreviated keys without allocation. If the abbreviated key of an object is greater than ``abbreviation(of:)``
/// another one's sort key, the whole key is greater, too.
package struct AbbreviatedKey {
  fileprivate let slot: Int
  fileprivate let isAscending: Bool

  /// `nil` unless the object has a number or a date there.
  @inline(__always)
  package func key(of values: ContiguousArray<PropertyValue>) -> UInt64? {
    guard slot < values.count, let number = OrderKey.number(of: values[slot]) else { return nil }
    return isAscending ? number : ~number
  }

  package static func abbreviation(of sortKey: [UInt8]) -> UInt64? { OrderKey.number(inKey: sortKey) }
}

extension CompiledFetch {
  /// `nil` unless the fetch is sorted by a number or a date of its objects first.
  package var abbreviatedKey: AbbreviatedKey? {
    // A sort key that is a row key of several columns may begin with another one.
    if let index = countedIndex, entity.properties[index.slot].isIndex { return nil }
    guard let sort = sorts.first, let slot = sort.term.ownAttribute else { return nil }
    return AbbreviatedKey(slot: slot, isAscending: sort.isAscending)
  }
}
