import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The rows of an index in a context that differs from the head: the rows of the base without the removed ones, merged
/// with the added ones. Rows, ranks and counts refer to the merged sequence.
///
/// Ranks are computed once, so a delta is valid for one state of its base. Every view passed to it must show the base
/// in that state. Deltas stack, one for each overlay.
package struct IndexDelta<Base: RankedRows>: RankedRows {
  package let base: Base
  /// Row keys that are only in the base, ascending.
  package let removed: [[UInt8]]
  /// Row keys that are only in the merged sequence, ascending.
  package let added: [[UInt8]]
  /// Each removed row's rank in the base. Strictly ascending.
  let removedRanks: [Int]
  /// Each added row's rank in the base.
  private let addedBaseRanks: [Int]
  /// Each added row's rank in the merged sequence. Strictly ascending.
  let addedRanks: [Int]

  /// Takes the row keys in any order. A row that is both removed and added stays as it is in the base. A removed row
  /// that the base lacks is damage, and so is an added row that the base has. O(d log n + d log d).
  ///
  /// - Parameter index: The index of the rows, for errors.
  package init(
    over base: Base, of index: CountedIndex, removed: [[UInt8]], added: [[UInt8]], in view: View
  ) throws(StorageError) {
    let (removed, added) = settled(removed: removed, added: added)
    let removedRanks = try removed.map { (rowKey) throws(StorageError) in
      try expectedRank(of: rowKey, in: base, index, true, view)
    }
    let addedRanks = try added.map { (rowKey) throws(StorageError) in
      try expectedRank(of: rowKey, in: base, index, false, view)
    }
    self.init(base, removed, removedRanks, added, addedRanks)
  }

  private init(_ base: Base, _ removed: [[UInt8]], _ removedRanks: [Int], _ added: [[UInt8]], _ addedBaseRanks: [Int]) {
    self.base = base
    self.removed = removed
    self.removedRanks = removedRanks
    self.added = added
    self.addedBaseRanks = addedBaseRanks
    var addedRanks: [Int] = []
    addedRanks.reserveCapacity(added.count)
    var removedBefore = 0
    for (before, rank) in addedBaseRanks.enumerated() {
      while removedBefore < removedRanks.count && removedRanks[removedBefore] < rank { removedBefore += 1 }
      addedRanks.append(rank - removedBefore + before)
    }
    self.addedRanks = addedRanks
  }

  /// The delta with other differences of some rows. Each of `gone` is a difference of this delta, and none of `new` is.
  /// O(k log n) for k differences, and a copy of the rest.
  package func replacing(
    _ gone: RowDifferences, by new: RowDifferences, of index: CountedIndex, in view: View
  ) throws(StorageError) -> Self {
    var (removed, removedRanks, added, addedBaseRanks) = (removed, removedRanks, added, addedBaseRanks)
    for rowKey in gone.removed { removeRow(rowKey, from: &removed, &removedRanks) }
    for rowKey in gone.added { removeRow(rowKey, from: &added, &addedBaseRanks) }
    for rowKey in new.removed {
      try insertRow(rowKey, expectedRank(of: rowKey, in: base, index, true, view), into: &removed, &removedRanks)
    }
    for rowKey in new.added {
      try insertRow(rowKey, expectedRank(of: rowKey, in: base, index, false, view), into: &added, &addedBaseRanks)
    }
    return Self(base, removed, removedRanks, added, addedBaseRanks)
  }

  /// The number of rows. Costs as much as in the base.
  package func count(in view: View) throws(StorageError) -> Int {
    try base.count(in: view) + added.count - removed.count
  }

  /// The place of a row key among the merged rows. Costs as much as in the base, plus two binary searches.
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

  /// The merged row of this rank. Costs as much as in the base, plus two binary searches.
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

/// Rows that are only in the base, and rows that are not in it.
package struct RowDifferences {
  package private(set) var removed: [[UInt8]] = []
  package private(set) var added: [[UInt8]] = []

  package init() {}

  /// Adds the differences of an object.
  package mutating func add(from base: [[UInt8]], to rows: [[UInt8]]) {
    if base == rows { return }
    for rowKey in base where !rows.contains(rowKey) { removed.append(rowKey) }
    for rowKey in rows where !base.contains(rowKey) { added.append(rowKey) }
  }
}

/// - Throws: Damage, if the base lacks a row that it must have, or has a row that it must not have.
private func expectedRank(
  of rowKey: [UInt8], in base: some RankedRows, _ index: CountedIndex, _ isThere: Bool, _ view: View
) throws(StorageError) -> Int {
  let place = try base.place(of: rowKey.span.bytes, in: view)
  if place.isThere == isThere { return place.rank }
  throw isThere ? index.table.rowMissing(index.key(0, rowKey)) : index.table.rowExists(index.key(0, rowKey))
}

private func sortedPlace(of rowKey: [UInt8], in rowKeys: [[UInt8]]) -> Int {
  rowKeys.partitionPoint { compareBytes($0, rowKey) >= 0 }
}

private func removeRow(_ rowKey: [UInt8], from rowKeys: inout [[UInt8]], _ ranks: inout [Int]) {
  let place = sortedPlace(of: rowKey, in: rowKeys)
  guard place < rowKeys.count, rowKeys[place] == rowKey else { return }
  rowKeys.remove(at: place)
  ranks.remove(at: place)
}

private func insertRow(_ rowKey: [UInt8], _ rank: Int, into rowKeys: inout [[UInt8]], _ ranks: inout [Int]) {
  let place = sortedPlace(of: rowKey, in: rowKeys)
  rowKeys.insert(rowKey, at: place)
  ranks.insert(rank, at: place)
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
