/// A row that enters or leaves an index.
package struct IndexChange: Sendable, Hashable {
  package var rowKey: [UInt8]
  package var isInsert: Bool

  package init(rowKey: [UInt8], isInsert: Bool) {
    self.rowKey = rowKey
    self.isInsert = isInsert
  }

  package static func insert(_ rowKey: [UInt8]) -> IndexChange { IndexChange(rowKey: rowKey, isInsert: true) }
  package static func delete(_ rowKey: [UInt8]) -> IndexChange { IndexChange(rowKey: rowKey, isInsert: false) }
}

extension IndexChange {
  /// By row key; changes of one row stay in their order. False if no row has several.
  ///
  /// Comparing eight bytes behind what all keys share decides most pairs without following a pointer.
  static func sort(_ changes: inout [IndexChange]) -> Bool {
    if isStrictlyAscending(changes) { return false }
    guard let first = changes.first?.rowKey else { return false }
    let shared = changes.reduce(first.count) { shared, change in
      shared == 0 ? 0 : min(shared, first.sharedPrefix(with: change.rowKey))
    }
    var places = changes.indices.map { (number: changes[$0].rowKey.sortingNumber(at: shared), index: $0) }
    places.sort { left, right in
      if left.number != right.number { return left.number < right.number }
      let result = compareBytes(changes[left.index].rowKey, changes[right.index].rowKey)
      return result != 0 ? result < 0 : left.index < right.index
    }
    changes = places.map { changes[$0.index] }
    return !isStrictlyAscending(changes)
  }

  private static func isStrictlyAscending(_ changes: [IndexChange]) -> Bool {
    changes.indices.dropFirst().allSatisfy { compareBytes(changes[$0 - 1].rowKey, changes[$0].rowKey) < 0 }
  }
}
