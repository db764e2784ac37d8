import RepriseObjectModel

extension CompiledFetch {
  /// An abbreviated key: if it is greater than ``abbreviation(ofKey:)`` of another object's sort key, so is the whole.
  /// Made without allocation, to reject most objects of a top-n early; `nil` unless the fetch is sorted by a number or
  /// a date first.
  package func abbreviatedKey(
    of values: ContiguousArray<PropertyValue>, id: AnyObjectID, source: some FetchSource
  ) -> UInt64? {
    // A sort key that is a row key of several columns may begin with another one.
    if let index = countedIndex, entity.properties[index.slot].isIndex { return nil }
    guard let sort = sorts.first, let number = OrderKey.number(of: sort.term.value(values, id, source)) else {
      return nil
    }
    return sort.isAscending ? number : ~number
  }

  package static func abbreviation(ofKey key: [UInt8]) -> UInt64? { OrderKey.number(inKey: key) }
}
