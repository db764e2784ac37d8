import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// The transactions after a position, oldest first.
  ///
  /// To read a whole log in pages, pass the position of the last transaction returned, until you reach a head that you
  /// read before. ``feed(after:matching:)`` continues with transactions saved later. To resume after a restart of the
  /// program, keep a ``LogToken`` instead of a position.
  ///
  /// Reads all transactions from the position to the last one returned. Of a transaction that does not match, the
  /// values are not decoded.
  ///
  /// - Parameters:
  ///   - position: The position before the first transaction; 0 for the beginning of the log.
  ///   - limit: The most transactions to return.
  ///   - filter: The transactions and changes to return.
  /// - Returns: Fewer than `limit` only if no more transactions match.
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged; `truncated` if ``retain(_:progress:)``
  ///   dropped a transaction after the position; `otherLog` if the position is beyond the head.
  public func transactions(
    after position: Position = 0, limit: Int = 100, matching filter: TransactionFilter = TransactionFilter()
  ) throws -> [LoggedTransaction] {
    var found: [LoggedTransaction] = []
    var position = position
    try requireReached(position)
    while found.count < limit {
      let page = try page(after: position, limit: limit - found.count, filter)
      found += page.transactions
      if page.isAtHead { break }
      position = page.upTo
    }
    return found
  }

  /// The transactions after the transaction of a token, oldest first. Otherwise, the call works like
  /// ``transactions(after:limit:matching:)-(Position,_,_)``.
  ///
  /// - Throws: The same errors, and ``StoreError/otherLog(path:token:head:)`` if the log does not have the token's
  ///   transaction.
  public func transactions(
    after token: LogToken, limit: Int = 100, matching filter: TransactionFilter = TransactionFilter()
  ) throws -> [LoggedTransaction] {
    try require(token)
    return try transactions(after: token.position, limit: limit, matching: filter)
  }

  /// The transaction at a position: the changes of the save after merging, with all consequences. `nil` beyond the
  /// head, and at 0. Costs one read of the transaction.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged; `truncated` if ``retain(_:progress:)``
  ///   dropped the transaction.
  public func transaction(at position: Position) throws -> LoggedTransaction? {
    try transaction(at: position, matching: TransactionFilter())
  }

  /// The transaction at a position. `nil` if the filter does not select it.
  ///
  /// - Parameter firstChangeOnly: Whether at most one change is read, for a list of many transactions.
  package func transaction(
    at position: Position, matching filter: TransactionFilter, firstChangeOnly: Bool = false
  ) throws(StoreError) -> LoggedTransaction? {
    guard position > 0 else { return nil }
    return try store.read { (view, head) throws(StorageError) in
      if position > head { return nil }
      try requireTransaction(position, view)
      let reader = reader(filter)
      reader.firstChangeOnly = firstChangeOnly
      return try reader.transaction(at: position, store.files.log.reader(view))
    }
  }

  /// Throws if a position is beyond the head: the store was restored from an older backup, or the position belongs to
  /// another store.
  package func requireReached(_ position: Position) throws(StoreError) {
    if position > head, position > (try store.refreshedHead()) {
      throw .otherLog(path: store.path, token: position, head: head)
    }
  }

  /// Throws unless the state at a position, and all transactions after it, can be read.
  package func requireReadable(_ position: Position) throws(StoreError) {
    try store.read { (view, _) throws(StorageError) in try requireReadable(position, view) }
  }

  func requireReadable(_ position: Position, _ view: View) throws(StorageError) {
    let first = try MetaTable(store.tables.meta).firstPosition(view)
    if position >= first - 1 { return }
    throw store.tables.log.dropped(position.number, first: first.number)
  }

  /// Throws if a transaction was dropped, even if it is not removed yet.
  func requireTransaction(_ position: Position, _ view: View) throws(StorageError) {
    let first = try MetaTable(store.tables.meta).firstPosition(view)
    if position >= first { return }
    throw store.tables.log.dropped(position.number, first: first.number)
  }

  /// The position of the first transaction in the log: 1, unless ``retain(_:progress:)`` has dropped transactions. A
  /// context can be made at the position before it and at all later ones. O(log n).
  ///
  /// - Throws: ``StoreError``: the store is closed, or the record of the first position is damaged.
  public var firstPosition: Position {
    get throws { try readFirstPosition() }
  }

  /// Whether retention has dropped any transaction.
  package func hasDroppedTransactions() throws(StoreError) -> Bool { try readFirstPosition() > 1 }

  private func readFirstPosition() throws(StoreError) -> Position {
    try store.read { (view, _) throws(StorageError) in try MetaTable(store.tables.meta).firstPosition(view) }
  }

  /// The matching transactions of a page, the last position that was looked at, and whether that is the head. The page
  /// is small, so that the read transaction is short.
  func page(
    after position: Position, limit: Int, _ filter: TransactionFilter
  ) throws(StoreError) -> (transactions: [LoggedTransaction], upTo: Position, isAtHead: Bool) {
    try store.read { (view, head) throws(StorageError) in
      var found: [LoggedTransaction] = []
      var position = position
      try requireReadable(position, view)
      let last = min(head, max(position, min(position, head) + 256))
      let reader = reader(filter)
      let frames = store.files.log.reader(view)
      while position < last, found.count < limit {
        position = position + 1
        if let transaction = try reader.transaction(at: position, frames) { found.append(transaction) }
      }
      return (found, position, position >= head)
    }
  }

  /// The position of the last transaction saved at or before a time, or 0 if there is none. At this position, a context
  /// shows the store as it was at that time.
  ///
  /// The result depends on the times of the saves, and not on dates that an import gave to transactions. If the time is
  /// the present or later, the result is the head. The rules below apply if the clock of a saving machine was wrong:
  ///
  /// - If a clock was ahead and was then set back, its transactions count as saved right after the last transaction by
  ///   a correct clock. The result includes every transaction that was saved before the time. It may also include later
  ///   transactions by the wrong clock.
  /// - A clock counts as ahead if a later transaction, or the present, has an earlier time. Until then, a transaction
  ///   by this clock counts as saved at its recorded time.
  /// - If a clock was behind and was then set forward, its transactions count as saved right after the last transaction
  ///   by a correct clock. For example, a device may start in 1970 and set its clock later. A look-up in 2020 still
  ///   finds the transactions of 2020.
  /// - If the log does not show whether a clock was behind or ahead, the clock counts as ahead.
  /// - If a clock was set back by less than ten seconds, each save counts as one microsecond later than the save before
  ///   it, until the clock has caught up.
  ///
  /// The exact rule is in `Docs/FileFormat/log-time.md`. The call takes O(log n), and O(log n) more for each time that
  /// a clock was set back.
  ///
  /// - Parameter microseconds: The time, in microseconds since 1970-01-01 00:00:00 UTC.
  /// - Throws: ``StoreError`` if the store is closed or the log is damaged. Its case `truncated` if all transactions
  ///   that the log still has are later.
  public func position(atMicroseconds microseconds: Int64) throws -> Position {
    try store.read { (view, head) throws(StorageError) in
      let now = store.wallClock()
      if microseconds >= now { return head }
      let first = try MetaTable(store.tables.meta).firstPosition(view)
      if first <= head,
        let found = try times(in: first...head, now: now, view).lastPosition(upTo: microseconds, view)
      {
        return found
      }
      // Only the dropped transactions said whether the time is late enough for the state before the floor.
      if first > 1 { throw store.tables.log.dropped(first.number - 1, first: first.number) }
      return 0
    }
  }

  /// The times of the transactions in a range of positions.
  func times(in positions: ClosedRange<Position>, now: Int64, _ view: View) throws(StorageError) -> LogTimes {
    let steps = try MetaTable(store.tables.meta).clockSteps(from: positions.lowerBound + 1, view)
    return try LogTimes(of: store.files.log, positions, steps, now: now, view)
  }

  func reader(_ filter: TransactionFilter) -> TransactionReader {
    TransactionReader(store.logID, store.files.log, MetaTable(store.tables.meta), store.map, filter)
  }
}
