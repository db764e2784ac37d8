import RepriseLMDB
import RepriseObjectModel

extension IndexHistory {
  /// Adds the changes of saves, each at its position. Has an effect only once the history has begun. After any error
  /// the transaction must be aborted.
  ///
  /// Costs a node on each level for each changed row, as in the index itself.
  package func apply(
    _ changes: borrowing IndexChanges, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    if let building = try building(transaction.view) {
      // No reader sees an unfinished history, so all changes go to one position.
      for place in changes.saves.indices {
        var part = changes.part(ofSave: place)
        part.keepNet(before: building.next)
        try add(part, in: transaction)
      }
      return
    }
    for (place, save) in changes.saves.enumerated() {
      guard let root = try root(at: save.position, transaction.view) else { return }
      var part = changes.part(ofSave: place)
      part.keepNet()
      if part.isEmpty { continue }
      var update = HistoryUpdate(self, at: save.position)
      let next = try update.run(part, root, transaction)
      if next != root { try put(root: next, from: save.position, transaction) }
    }
  }
}
