import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The rows of a fetch as a range of one counted index: none is in memory, and each answer costs O(log n).
package struct CountedRows {
  private let entity: Entity
  package let choice: CompiledFetch.CountedIndex
  package let index: IndexSnapshot
  /// The ranks in the index that are rows of the fetch. The first row has the lowest rank if the fetch ascends, and the
  /// highest if it descends.
  package let ranks: Range<Int>
  /// The ranks of all rows that match the condition, without limit and offset.
  private let all: Range<Int>

  /// `nil` if no counted index serves the fetch.
  package init?(_ fetch: CompiledFetch, _ map: EntityMap, _ projection: Projection) throws(IndexSnapshot.Failure) {
    guard let choice = fetch.countedIndex,
      let index = try IndexSnapshot.Failure.reading({ () throws(StoreError) in
        try projection.index(map, slot: choice.slot)
      })
    else { return nil }
    self.choice = choice
    entity = map.entity
    self.index = index
    all = try index.ranks(in: choice.range)
    let left = max(0, all.count - fetch.offset)
    let taken = fetch.limit.map { min($0, left) } ?? left
    ranks =
      choice.isAscending
      ? (all.upperBound - left)..<(all.upperBound - left + taken)
      : (all.lowerBound + left - taken)..<(all.lowerBound + left)
  }

  /// The number of rows without limit and offset.
  package var total: Int { all.count }

  /// The rows within limit and offset, as a range of all rows in the order of the fetch.
  package var window: Range<Int> {
    choice.isAscending
      ? (ranks.lowerBound - all.lowerBound)..<(ranks.upperBound - all.lowerBound)
      : (all.upperBound - ranks.upperBound)..<(all.upperBound - ranks.lowerBound)
  }

  /// The number of rows before the row with this sort key, without limit and offset. `nil` if no row has this key.
  package func rank(ofSortKey key: [UInt8]) throws(IndexSnapshot.Failure) -> Int? {
    let place = try index.place(of: choice.isAscending ? key : key.map { ~$0 })
    guard place.isThere, all.contains(place.rank) else { return nil }
    return choice.isAscending ? place.rank - all.lowerBound : all.upperBound - 1 - place.rank
  }

  private func rank(at index: Int) -> Int {
    choice.isAscending ? ranks.lowerBound + index : ranks.upperBound - 1 - index
  }

  package func object(at index: Int, _ projection: Projection) throws(IndexSnapshot.Failure) -> UniqueID {
    guard let key = try self.index.rowKey(at: rank(at: index)), let uuid = RowKey.uuid(key) else {
      throw .store(
        .damaged(
          path: projection.store.path,
          reason: "an index that counts \(ranks.upperBound) rows has no row with the number \(index)"))
    }
    return uuid
  }

  /// The number of rows before an object's. `nil` if it has no row.
  package func index(
    of uuid: UniqueID, _ values: ContiguousArray<PropertyValue>
  ) throws(IndexSnapshot.Failure) -> Int? {
    guard let key = entity.rowKeys(choice.slot, values, uuid).first, choice.range.contains(key) else { return nil }
    let place = try index.place(of: key)
    guard place.isThere, ranks.contains(place.rank) else { return nil }
    return choice.isAscending ? place.rank - ranks.lowerBound : ranks.upperBound - 1 - place.rank
  }

  /// All rows, in order.
  func objects() throws(IndexSnapshot.Failure) -> [UniqueID] { try objects(at: 0..<ranks.count) }

  /// The rows with these numbers, which must exist, in order. One descent in the index, then a step for each.
  package func objects(at range: Range<Int>) throws(IndexSnapshot.Failure) -> [UniqueID] {
    if range.isEmpty { return [] }
    let keys = try index.rowKeys(
      from: rank(at: range.lowerBound), limit: range.count, choice.isAscending ? .ascending : .descending)
    return keys.compactMap { RowKey.uuid($0) }
  }
}
