import RepriseLMDB
import RepriseObjectModel

/// The rows of an index in a context that differs from the head: those of the base without the removed ones, merged
/// with the added ones. Rows, ranks and counts are those of the merged sequence.
///
/// Ranks are computed once, so a delta is valid for one state of its base: every view passed to it must show the base
/// as it was when the delta was made. Deltas stack, one for each overlay.
package struct IndexDelta<Base: RankedRows>: RankedRows {
  package let base: Base
  /// Row keys that are only in the base, ascending.
  package let removed: [[UInt8]]
  /// Row keys that are only in the merged sequence, ascending.
  package let added: [[UInt8]]
  /// Each removed row's rank in the base. Strictly ascending.
  let removedRanks: [Int]
  /// Each added row's rank in the merged sequence. Strictly ascending.
  let addedRanks: [Int]

  /// Takes the row keys in any order; a row that is both removed and added stays as it is in the base. A removed row
  /// that the base lacks is damage, as is an added one that it has. O(d log n + d log d).
  ///
  /// - Parameter index: The index of the rows, for errors.
  package init(
    over base: Base, of index: CountedIndex, removed: [[UInt8]], added: [[UInt8]], in view: View
  ) throws(StorageError) {
    self.base = base
    (self.removed, self.added) = settled(removed: removed, added: added)
    var removedRanks: [Int] = []
    removedRanks.reserveCapacity(self.removed.count)
    for rowKey in self.removed {
      let place = try base.place(of: rowKey.span.bytes, in: view)
      guard place.isThere else { throw index.table.rowMissing(index.key(0, rowKey)) }
      removedRanks.append(place.rank)
    }
    var addedRanks: [Int] = []
    addedRanks.reserveCapacity(self.added.count)
    var removedBefore = 0
    for (before, rowKey) in self.added.enumerated() {
      let place = try base.place(of: rowKey.span.bytes, in: view)
      guard !place.isThere else { throw index.table.rowExists(index.key(0, rowKey)) }
      while removedBefore < removedRanks.count && removedRanks[removedBefore] < place.rank { removedBefore += 1 }
      addedRanks.append(place.rank - removedBefore + before)
    }
    self.removedRanks = removedRanks
    self.addedRanks = addedRanks
  }

  package var isEmpty: Bool { removed.isEmpty && added.isEmpty }

  /// Costs as much as the base's.
  package func count(in view: View) throws(StorageError) -> Int {
    try base.count(in: view) + added.count - removed.count
  }

  /// Costs as much as the base's, plus two binary searches.
  package func place(of rowKey: RawSpan, in view: View) throws(StorageError) -> RowPlace {
    let place = try base.place(of: rowKey, in: view)
    let addedBefore = added.partitionPoint { compareBytes($0, rowKey) >= 0 }
    let removedBefore = removedRanks.partitionPoint { $0 >= place.rank }
    let isAdded = addedBefore < added.count && compareBytes(added[addedBefore], rowKey) == 0
    let isRemoved =
      place.isThere && removedBefore < removedRanks.count && removedRanks[removedBefore] == place.rank
    return RowPlace(
      rank: place.rank + addedBefore - removedBefore, isThere: isAdded || place.isThere && !isRemoved)
  }

  /// Costs as much as the base's, plus two binary searches.
  package func rowKey(at rank: Int, in view: View) throws(StorageError) -> [UInt8]? {
    guard rank >= 0, rank <= Int.max - removed.count else { return nil }
    let addedBefore = addedRanks.partitionPoint { $0 >= rank }
    if addedBefore < added.count && addedRanks[addedBefore] == rank { return added[addedBefore] }
    return try base.rowKey(at: baseRank(ofRemaining: rank - addedBefore), in: view)
  }

  /// The rank in the base of the row with `rank` rows before it, not counting removed ones.
  func baseRank(ofRemaining rank: Int) -> Int {
    rank + removedRanks.partitionPoint { $0 - $1 > rank }
  }
}

private func settled(removed: [[UInt8]], added: [[UInt8]]) -> (removed: [[UInt8]], added: [[UInt8]]) {
  let removed = ascending(removed)
  let added = ascending(added)
  let both = Set(removed).intersection(added)
  if both.isEmpty { return (removed, added) }
  return (removed.filter { !both.contains($0) }, added.filter { !both.contains($0) })
}

private func ascending(_ rowKeys: [[UInt8]]) -> [[UInt8]] {
  var result: [[UInt8]] = []
  result.reserveCapacity(rowKeys.count)
  for rowKey in rowKeys.sorted(by: { compareBytes($0, $1) < 0 }) where rowKey != result.last { result.append(rowKey) }
  return result
}
