import RepriseLMDB
import RepriseLog

extension IndexDelta {
  /// Costs one descent in the base, then one step per row, removed rows included.
  package func forEach(
    from rank: Int, limit: Int = .max, _ direction: RowDirection = .ascending, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let count = try count(in: view)
    guard rank >= 0, rank < count, limit > 0 else { return }
    switch direction {
    case .ascending: try ascend(rank..<min(count, rank + min(limit, count)), in: view, body)
    case .descending: try descend(max(0, rank + 1 - min(limit, count))..<rank + 1, in: view, body)
    }
  }

  // The rows of the base and the added rows are merged by rank, without comparing keys. The next row is an added one if
  // its rank is next. Otherwise it is the next row of the base that is not removed.

  private func ascend(
    _ ranks: Range<Int>, in view: View, _ body: (RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var next = ranks.lowerBound
    var added = addedRanks.partitionPoint { $0 >= next }
    var baseRank = baseRank(ofRemaining: next - added)
    var removed = removedRanks.partitionPoint { $0 >= baseRank }
    var isDone = false

    /// Visits the added rows that come next.
    func visitAdded() throws(StorageError) {
      while !isDone && added < addedRanks.count && addedRanks[added] == next {
        let rowKey = self.added[added]
        isDone = try !body(rowKey.span.bytes)
        added += 1
        next += 1
        if next == ranks.upperBound { isDone = true }
      }
    }

    try visitAdded()
    if isDone { return }
    try base.forEach(from: baseRank, limit: .max, .ascending, in: view) { (row) throws(StorageError) in
      let rank = baseRank
      baseRank += 1
      if removed < removedRanks.count && removedRanks[removed] == rank {
        removed += 1
        return true
      }
      isDone = try !body(row)
      next += 1
      if next == ranks.upperBound { isDone = true }
      try visitAdded()
      return !isDone
    }
  }

  private func descend(
    _ ranks: Range<Int>, in view: View, _ body: (RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var next = ranks.upperBound - 1
    var added = addedRanks.partitionPoint { $0 > next } - 1
    var isDone = false

    func visitAdded() throws(StorageError) {
      while !isDone && added >= 0 && addedRanks[added] == next {
        let rowKey = self.added[added]
        isDone = try !body(rowKey.span.bytes)
        added -= 1
        next -= 1
        if next < ranks.lowerBound { isDone = true }
      }
    }

    try visitAdded()
    if isDone { return }
    var baseRank = baseRank(ofRemaining: next - (added + 1))
    var removed = removedRanks.partitionPoint { $0 >= baseRank } - 1
    try base.forEach(from: baseRank, limit: .max, .descending, in: view) { (row) throws(StorageError) in
      let rank = baseRank
      baseRank -= 1
      if removed >= 0 && removedRanks[removed] == rank {
        removed -= 1
        return true
      }
      isDone = try !body(row)
      next -= 1
      if next < ranks.lowerBound { isDone = true }
      try visitAdded()
      return !isDone
    }
  }
}
