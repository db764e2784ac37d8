import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Store {
  /// Runs `body` in a read transaction at the last commit of any process, with the version window extended to it.
  ///
  /// Keep it short: pages that the transaction sees cannot be reused while it runs.
  package func read<Result>(
    _ body: (borrowing View, _ head: Position) throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    if isClosed { throw .closed(path: path) }
    if map.isRefused, let refusal = map.refusal { throw refusal }
    do throws(StorageError) {
      while true {
        if let result = try serve(environment.beginRead(), body) { return result }
      }
    } catch {
      throw isReady ? map.refusal ?? StoreError(error) : notReady
    }
  }

  /// Runs `body` in the transaction. `nil` if the transaction is older than the window's head. A separate function,
  /// because a transaction bound in the caller's loop would be put on the heap.
  @inline(__always)
  private func serve<Result>(
    _ transaction: borrowing ReadTransaction, _ body: (borrowing View, Position) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    switch window.standing(of: transaction.id) {
    case .current(let head): return try body(transaction.view, head)
    case .stale: return nil
    case .ahead(let known): return try body(transaction.view, catchUp(after: known, transaction.view, transaction.id))
    }
  }

  /// Extends the window from the log: another process saved, or a save of this process is not published yet.
  private func catchUp(after known: Position, _ view: borrowing View, _ transactionID: Int) throws(StorageError)
    -> Position
  {
    let head = try files.log.lastPosition(view)
    guard head > known else {
      // Another process may have sorted indexes again, which the log does not record.
      try requireLocaleOrders(of: map, view)
      window.extend(with: [], transactionID: transactionID)
      return head
    }
    try learnNewSchema(view)
    let map = self.map
    try requireLocaleOrders(of: map, view)
    // Bounds the memory used to about twice the window's budget.
    var transactions: [VersionWindow.Transaction] = []
    var size = 0
    var spilled: Position = 0
    var next = known + 1
    while next <= head {
      let position = next
      let transaction: VersionWindow.Transaction
      do throws(StorageError) {
        transaction = try files.log.windowTransaction(position, view, map)
      } catch {
        // No context of this process needs the transactions that another process dropped, because it would have pinned
        // them.
        guard case .rowsDropped(_, _, let first, _) = error else { throw error }
        transactions.removeAll()
        (size, spilled, next) = (0, Position(first) - 1, Position(first))
        continue
      }
      next = position + 1
      transactions.append(transaction)
      size += transaction.size
      guard size > 2 * window.budget else { continue }
      transactions.removeAll()
      (size, spilled) = (0, position)
    }
    // The clock of the other process may be ahead.
    UniqueID.note(try MetaTable(tables.meta).head(view).greatestID)
    window.extend(with: transactions, spilledUpTo: spilled, transactionID: transactionID)
    headMoved()
    return head
  }

  /// A store that is only read does without indexes that its opening found in another order.
  private func requireLocaleOrders(of map: SchemaMap, _ view: borrowing View) throws(StorageError) {
    if environment.options.readOnly { return }
    try MetaTable(tables.meta).requireLocaleOrders(of: map, path: path, view)
  }

  /// Maps the models to the stored schema again, if a process with newer models has extended it.
  private func learnNewSchema(_ view: borrowing View) throws(StorageError) {
    let map = self.map
    guard let stored = try MetaTable(tables.meta).schema(otherThan: map.revision, view),
      stored.revision > map.revision
    else { return }
    if files.sharing == nil, !environment.options.readOnly { try MetaTable(tables.meta).requireUnshared(view) }
    learn(SchemaMap(map.schema, stored))
    // The reader throws the refusal itself.
    if self.map.isRefused, let refusal = self.map.refusal {
      throw .foreignContents(reason: refusal.description, StorageError.Site(.decode, path))
    }
  }

  /// Throws `deleted` if another file, or none, is at the path of `data.mdb`. Then this process sees no save of another
  /// process. Costs a system call.
  package func requireOwnFile() throws(StoreError) {
    try StoreError.converting { () throws(StorageError) in try environment.requireDataFile() }
  }

  /// The head of the log, including the commits of other processes.
  package func refreshedHead() throws(StoreError) -> Position {
    if isReady { journal.startOverdueThread() }
    return try read { (_, head) in head }
  }
}
