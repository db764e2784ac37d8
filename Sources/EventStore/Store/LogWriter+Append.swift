import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension LogWriter {
  /// Group commit: writes log, head, indexes and counts of these saves together. Each save has its own result.
  ///
  /// After the commit, the version window, and with it the head, is published before the callers resume.
  ///
  /// - Parameters:
  ///   - isCancelled: Called with the milliseconds waited, while the saves wait for another process. It may remove
  ///     requests; if it returns true, `append` throws `cancelled`.
  ///   - late: Further saves that may join the commit, requested once the first ones are written. They are added to
  ///     `requests`, and must not have drafts.
  func append(
    _ requests: inout [SaveRequest], to store: Store,
    unless isCancelled: (Int, inout [SaveRequest]) -> Bool = { _, _ in false },
    joinedBy late: () -> [SaveRequest]
  ) throws(SaveFailure) -> [Result<AppendedSave, AppendRefusal>] {
    if requests.contains(where: { !$0.drafts.isEmpty }) {
      // Otherwise a kill before the journal's next write would restore screens that the user left with the save. Drafts
      // do not depend on this write: the commit itself records that it consumes them.
      try? store.journal.write(cutsTurns: false)
    }
    if let sharing = store.files.sharing {
      return try sharing.commit(&requests, to: store, unless: isCancelled, joinedBy: late)
    }
    let commit = try store.environment.write(unless: { isCancelled($0, &requests) }) {
      (transaction) throws(SaveFailure) in
      // LMDB runs the body again if the map has to grow. So the body changes nothing outside itself, except that it
      // adds late saves to `requests`.
      var commit = GroupCommit()
      var appender = try appender(for: store, transaction)
      try write(&requests, to: store, with: &appender, &commit, transaction, joinedBy: late)
      try SaveFailure.converting { () throws(StorageError) in
        try appender.finish(transaction)
        try store.advanceProjections(to: appender.head.position, appender.map, transaction)
      }
      commit.last = LastCommit(transactionID: transaction.id, head: appender.head)
      return commit
    }
    // LMDB reuses the ID of a transaction that wrote nothing, for the next writer of any process.
    if !commit.transactions.isEmpty {
      lastCommit.withLock { $0 = commit.last }
      store.window.extend(with: commit.transactions, transactionID: commit.last.transactionID)
    }
    return commit.results
  }

  func appender(
    for store: Store, isRehearsal: Bool = false, _ transaction: borrowing WriteTransaction
  ) throws(SaveFailure) -> TransactionAppender {
    let last = lastCommit.withLock { $0 }
    let appender = try SaveFailure.converting { () throws(StorageError) in
      let appender = try TransactionAppender(
        store.tables, logID: store.logID, map: store.map,
        head: last?.transactionID == transaction.id - 1 ? last?.head : nil, isRehearsal: isRehearsal,
        keyframes: store.keyframes, clock: store.wallClock, transaction.view)
      try MetaTable(store.tables.meta).requireLocaleOrders(of: appender.map, path: store.path, transaction.view)
      return appender
    }
    if let refusal = appender.map.refusal { throw .plan(refusal) }
    return appender
  }

  /// Writes the saves of a group, and late ones, until the group is as large as a packet may be.
  func write(
    _ requests: inout [SaveRequest], to store: Store, with appender: inout TransactionAppender,
    _ commit: inout GroupCommit, _ transaction: borrowing WriteTransaction, joinedBy late: () -> [SaveRequest]
  ) throws(SaveFailure) {
    while commit.results.count < requests.count, !commit.isFull {
      try append(requests[commit.results.count], to: store, with: &appender, &commit, transaction)
      if commit.results.count == requests.count, requests.count < Self.fullGroup { requests += late() }
    }
  }

  /// Writes a save, unless its plan is refused.
  private func append(
    _ request: SaveRequest, to store: Store, with appender: inout TransactionAppender, _ commit: inout GroupCommit,
    _ transaction: borrowing WriteTransaction
  ) throws(SaveFailure) {
    if let head = request.head, head != appender.head.position { return commit.results.append(.failure(.moved)) }
    let plan = try plan(request, store, appender: &appender, transaction)
    if let refusal = plan.refusal { return commit.results.append(.failure(.error(refusal))) }
    if !plan.unvalidated.isEmpty { return commit.results.append(.failure(.unvalidated(plan.unvalidated))) }
    var position = appender.head.position
    let first = commit.transactions.count
    if request.parts.isEmpty {
      position = try write(plan, request, with: &appender, &commit, transaction)
    } else {
      for part in request.parts {
        let isFirst = appender.head.position == position
        let part = request.alone(part, isFirst: isFirst)
        let plan = try self.plan(part, store, appender: &appender, transaction)
        // A throw commits nothing, so the earlier parts are not saved without this one.
        if let refusal = plan.refusal { throw .refused(refusal) }
        _ = try write(plan, part, with: &appender, &commit, transaction)
      }
      position = appender.head.position
    }
    // Removes the edits from the journal in the same commit, so that a kill cannot leave them in both the log and the
    // draft, or in neither.
    try SaveFailure.converting { () throws(StorageError) in
      if request.drafts.isEmpty { return }
      let journals = store.journal.journals
      for part in request.drafts {
        try Journal.consume(part.draft, upTo: part.generation, in: journals, store.tables, transaction)
      }
    }
    commit.results.append(
      .success(AppendedSave(position: position, transactions: Array(commit.transactions[first...]))))
  }

  private func plan(
    _ request: SaveRequest, _ store: Store, appender: inout TransactionAppender,
    _ transaction: borrowing WriteTransaction
  ) throws(SaveFailure) -> SavePlan {
    do throws(StoreError) {
      return try SavePlan(request, appender.map, store.tables, transaction.view, appender.groupRows())
    } catch {
      throw .plan(error)
    }
  }

  private func write(
    _ plan: SavePlan, _ request: SaveRequest, with appender: inout TransactionAppender, _ commit: inout GroupCommit,
    _ transaction: borrowing WriteTransaction
  ) throws(SaveFailure) -> Position {
    let written = try SaveFailure.converting { () throws(StorageError) in
      try appender.append(plan, request, transaction)
    }
    if let written { commit.transactions.append(written) }
    if commit.isLimited, let written {
      commit.byteCount += plan.operations.reduce(written.size) { $0 + $1.newBlobs.reduce(0) { $0 + $1.blob.byteCount } }
    }
    return appender.head.position
  }

  /// The size at which a group admits no more late saves. A steady stream of late saves would starve the early ones,
  /// and the writers of other processes.
  private static let fullGroup = 256

  struct GroupCommit {
    var results: [Result<AppendedSave, AppendRefusal>] = []
    var transactions: [VersionWindow.Transaction] = []
    var last = LastCommit(transactionID: 0, head: LogHead(position: 0, hash: .zero, time: 0))
    /// Whether the group becomes a packet of a shared log, whose size is limited.
    var isLimited = false
    /// The bytes of the packet, with the blobs that it gets.
    var byteCount = 0

    var isFull: Bool { isLimited && (transactions.count >= LogWriter.fullGroup || byteCount >= 8 << 20) }
  }
}

extension Store {
  /// Brings the installed projections up to date, in the commit that writes the transactions up to `head`.
  func advanceProjections(
    to head: Position, _ map: SchemaMap, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try projections.follow(
      upTo: head, { TransactionReader(logID, files.log, MetaTable(tables.meta), map, $0) }, transaction)
  }
}
