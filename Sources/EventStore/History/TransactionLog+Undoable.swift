import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// The transactions of an author that `undo()` could revert, the latest first: transactions that changed objects, and
  /// that no later transaction has reverted. `undo()` of a root context reverts the first one.
  ///
  /// The list is computed from the log alone. Only `undo()` itself finds out whether later changes conflict with the
  /// reversal.
  ///
  /// Reads the log from its head back to the last transaction returned. If the author has fewer than `limit`
  /// transactions to revert, the call reads the whole log.
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

  /// The saved undos of an author that `redo()` could revert, in the order of the redos. Each redo restores the changes
  /// that the undo had reverted. The list is empty after the author has saved another change.
  ///
  /// Reads the log from its head back to the last undo returned, or to the author's last edit.
  ///
  /// - Parameters:
  ///   - author: The author of the undos; `nil` for transactions without an author.
  ///   - limit: The most undos to return.
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func redoable(by author: String?, limit: Int = 20) throws -> [LoggedTransaction] {
    guard limit > 0 else { return [] }
    var found = UndoableTransactions(by: .author(author))
    try look(for: &found, upTo: store.refreshedHead()) { $0.hasEdit || $0.redo.count >= limit }
    return try found.redo.steps.prefix(limit).compactMap { try transaction(at: $0.position) }
  }

  /// Moves the stacks of undo and redo to a position, and looks back in the log until `isEnough` returns true, or the
  /// log begins. After an error the stacks are unknown.
  package func look(
    for known: inout UndoableTransactions, upTo position: Position, until isEnough: (UndoableTransactions) -> Bool
  ) throws(StoreError) {
    try store.read { (view, head) throws(StorageError) in
      try known.look(upTo: min(position, head), until: isEnough, UndoEntries(store, view), view)
    }
  }
}
