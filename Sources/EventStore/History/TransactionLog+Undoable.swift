import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// The transactions of an author that `undo()` could revert, the latest first. They changed objects, and have not
  /// been reverted already. `undo()` of a root context reverts the first one.
  ///
  /// The list follows from the log alone. Staging a reversal finds out whether a transaction can be reverted now, and
  /// how much of it.
  ///
  /// Costs the transactions of the log up to the last one returned. If the author has fewer than `limit`, it costs the
  /// whole log.
  ///
  /// - Parameters:
  ///   - author: The author of the transactions; `nil` for transactions without an author.
  ///   - limit: The most transactions to return.
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func undoable(by author: String?, limit: Int = 20) throws -> [LoggedTransaction] {
    guard limit > 0 else { return [] }
    var found = UndoableTransactions(by: .author(author))
    try look(for: &found, upTo: store.refreshedHead()) { $0.undo.count >= limit }
    return try found.undo.steps.prefix(limit).compactMap { try transaction(at: $0.position) }
  }

  /// The reversals of an author that `redo()` could revert, the next one first. Reverting one puts the reverted
  /// transaction into effect again. Empty after the author has saved another change.
  ///
  /// Costs the transactions of the log up to the last one returned, or up to the author's last edit.
  ///
  /// - Parameters:
  ///   - author: The author of the reversals; `nil` for transactions without an author.
  ///   - limit: The most reversals to return.
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func redoable(by author: String?, limit: Int = 20) throws -> [LoggedTransaction] {
    guard limit > 0 else { return [] }
    var found = UndoableTransactions(by: .author(author))
    try look(for: &found, upTo: store.refreshedHead()) { $0.hasEdit || $0.redo.count >= limit }
    return try found.redo.steps.prefix(limit).compactMap { try transaction(at: $0.position) }
  }

  /// Moves the stacks of undo and redo to a position, and looks back in the log until there is enough, or the log
  /// begins. After an error the stacks are unknown.
  package func look(
    for known: inout UndoableTransactions, upTo position: Position, until isEnough: (UndoableTransactions) -> Bool
  ) throws(StoreError) {
    try store.read { (view, head) throws(StorageError) in
      try known.look(upTo: min(position, head), until: isEnough, UndoEntries(store, view), view)
    }
  }
}
