import RepriseLMDB
import RepriseLog

/// The changes of indexes and of counts that the transactions of one commit make. They are written once, at its end.
package struct CommitChanges {
  /// The changes of each index that has some. An array, because there are few, and a dictionary would hash the index of
  /// each row.
  package var indexes: [IndexChanges] = []
  private var counts: [UInt32: Int] = [:]

  package init() {}

  /// Adds to the number of objects of an entity.
  package mutating func count(_ difference: Int, of entity: UInt32) { counts[entity, default: 0] += difference }

  /// The place of an index in ``indexes``, for changes of the transaction at a position.
  package mutating func place(of index: UInt32, keepsHistory: Bool, at position: Position) -> Int {
    let place = indexes.firstIndex { $0.index == index } ?? indexes.count
    if place == indexes.count { indexes.append(IndexChanges(index: index)) }
    if keepsHistory { indexes[place].begin(saveAt: position) }
    return place
  }

  /// Writes all changes, and forgets them.
  package mutating func write(
    _ tables: StoreTables, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for changes in indexes.sorted(by: { $0.index < $1.index }) {
      let index = CountedIndex(number: changes.index, table: tables.indexes)
      if changes.keepsHistory { try IndexHistory(index).apply(changes, in: transaction) }
      try index.apply(changes, in: transaction)
    }
    indexes = []
    let meta = MetaTable(tables.meta)
    for (entity, difference) in counts where difference != 0 {
      let count = try meta.count(of: entity, transaction.view)
      try meta.put(count: count + difference, of: entity, transaction)
    }
    counts = [:]
  }
}
