import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// The transactions of an author that could be taken back, the latest first: those that changed objects, and that
  /// were not taken back already. The first is what `undo()` of a root would take back next.
  ///
  /// Whether one can be, on its own or as a whole, is found out by staging its reversal.
  ///
  /// Costs the transactions of the log up to the last one returned; where the author has fewer, all of them.
  ///
  /// - Parameters:
  ///   - author: `nil` for transactions without one.
  ///   - limit: The most to return.
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func undoable(by author: String?, limit: Int = 20) throws -> [LoggedTransaction] {
    guard limit > 0 else { return [] }
    var found = UndoableTransactions(by: .author(author))
    try look(for: &found, upTo: store.refreshedHead()) { $0.undo.count >= limit }
    return try found.undo.steps.prefix(limit).compactMap { try transaction(at: $0.position) }
  }

  /// The reversals that an author could take back, so that what they took back is in effect again; the next one first.
  /// None once the author has saved something else.
  ///
  /// Costs the transactions of the log up to the last one returned, or the author's last edit.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func redoable(by author: String?, limit: Int = 20) throws -> [LoggedTransaction] {
    guard limit > 0 else { return [] }
    var found = UndoableTransactions(by: .author(author))
    try look(for: &found, upTo: store.refreshedHead()) { $0.hasEdit || $0.redo.count >= limit }
    return try found.redo.steps.prefix(limit).compactMap { try transaction(at: $0.position) }
  }

  /// Makes what can be undone and redone that of a position, and looks back in the log until there is enough, or it
  /// begins. After an error nothing is known.
  package func look(
    for known: inout UndoableTransactions, upTo position: Position, until isEnough: (UndoableTransactions) -> Bool
  ) throws(StoreError) {
    try store.read { (view, head) throws(StorageError) in
      try known.look(upTo: min(position, head), until: isEnough, UndoEntries(store, view), view)
    }
  }
}
