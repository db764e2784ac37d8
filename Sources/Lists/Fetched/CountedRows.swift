import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The rows of a list as a range of one counted index: none is in memory, and each answer costs O(log n).
struct CountedRows {
  private let choice: CompiledFetch.CountedIndex
  let index: IndexSnapshot
  /// The ranks in the index that are rows of the list. The first row has the lowest of them where the list ascends, the
  /// highest where it descends.
  let ranks: Range<Int>
  /// The ranks of all rows that the condition allows, whatever limit and offset leave out.
  private let all: Range<Int>

  /// `nil` if no counted index serves the fetch.
  init?(_ fetch: CompiledFetch, _ map: EntityMap, _ projection: Projection) throws(IndexSnapshot.Failure) {
    guard let choice = fetch.countedIndex, let index = projection.index(map, slot: choice.slot) else { return nil }
    self.choice = choice
    self.index = index
    let range = choice.range
    let lower = range.lower.isEmpty ? 0 : try index.rank(of: range.lower)
    let upper = if let bound = range.upper { try index.rank(of: bound) } else { try index.count() }
    all = lower..<max(lower, upper)
    let left = max(0, all.count - fetch.offset)
    let taken = fetch.limit.map { min($0, left) } ?? left
    ranks =
      choice.isAscending
      ? (all.upperBound - left)..<(all.upperBound - left + taken)
      : (all.lowerBound + left - taken)..<(all.lowerBound + left)
  }

  /// How many rows there are, those that limit and offset leave out included.
  var total: Int { all.count }

  /// Which of all rows, in the order of the list, limit and offset leave in.
  var window: Range<Int> {
    choice.isAscending
      ? (ranks.lowerBound - all.lowerBound)..<(ranks.upperBound - all.lowerBound)
      : (all.upperBound - ranks.upperBound)..<(all.upperBound - ranks.lowerBound)
  }

  /// The number of rows before the one with this sort key, among all that there are; `nil` if it is not among them.
  func rank(ofSortKey key: [UInt8]) throws(IndexSnapshot.Failure) -> Int? {
    let place = try index.place(of: choice.isAscending ? key : key.map { ~$0 })
    guard place.isThere, all.contains(place.rank) else { return nil }
    return choice.isAscending ? place.rank - all.lowerBound : all.upperBound - 1 - place.rank
  }

  private func rank(at index: Int) -> Int {
    choice.isAscending ? ranks.lowerBound + index : ranks.upperBound - 1 - index
  }

  func object(at index: Int, _ projection: Projection) throws(IndexSnapshot.Failure) -> UniqueID {
    guard let key = try self.index.rowKey(at: rank(at: index)), let uuid = RowKey.uuid(key) else {
      throw .store(
        .damaged(path: projection.store.path, reason: "an index of \(ranks.upperBound) rows has none at \(index)"))
    }
    return uuid
  }

  /// The number of rows before an object's; `nil` if it has no row.
  func index(of uuid: UniqueID, _ values: ContiguousArray<PropertyValue>) throws(IndexSnapshot.Failure) -> Int? {
    let key = RowKey.bytes(values[choice.slot], uuid)
    guard choice.range.contains(key) else { return nil }
    let place = try index.place(of: key)
    guard place.isThere, ranks.contains(place.rank) else { return nil }
    return choice.isAscending ? place.rank - ranks.lowerBound : ranks.upperBound - 1 - place.rank
  }

  /// Finds the sections, each by a seek to the end of the one before. O(sections × log n).
  func sections(_ fetch: CompiledFetch) throws(IndexSnapshot.Failure) -> ListSnapshot {
    guard let function = fetch.section else { return ListSnapshot(rowCount: ranks.count) }
    var sections: [ListSnapshot.Section] = []
    var left = ranks
    while !left.isEmpty {
      guard let key = try index.rowKey(at: choice.isAscending ? left.lowerBound : left.upperBound - 1) else { break }
      let count: Int
      if choice.isAscending {
        let end = min(left.upperBound, try index.rank(of: function.upperBound(ofRowKey: key)))
        count = max(1, end - left.lowerBound)
        left = (left.lowerBound + count)..<left.upperBound
      } else {
        let end = max(left.lowerBound, try index.rank(of: function.lowerBound(ofRowKey: key)))
        count = max(1, left.upperBound - end)
        left = left.lowerBound..<(left.upperBound - count)
      }
      sections.append(ListSnapshot.Section(name: function.name(ofRowKey: key), rowCount: count))
    }
    return ListSnapshot(sections)
  }
}
