import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Appends a transaction to the log; see ``SaveRequest``. Saves that begin in one isolation get their places in the
  /// order in which they began.
  nonisolated(nonsending)
    package func save(_ request: SaveRequest) async -> Result<Position, SaveError>
  { await writer.save(request, in: self) }

  /// Writes a group of saves in one commit: log, head, indexes and counts together. Each save has a result of its own.
  ///
  /// The order after the commit: the version window and so the head are published first, then the callers learn of it.
  ///
  /// - Parameter late: More saves that may share the commit, asked for when the others are written. They join
  ///   `requests`, and none of them has a draft.
  func append(
    _ requests: inout [SaveRequest], joinedBy late: () -> [SaveRequest]
  ) throws(SaveFailure) -> [Result<Position, SaveError>] {
    if requests.contains(where: { !$0.drafts.isEmpty }) {
      // Screens that were left with the save should not be back after a kill in between. Of the drafts nothing comes
      // back, written or not: the commit itself says that they are consumed.
      try? journal.write(cutsTurns: false)
    }
    let last = lastCommit.withLock { $0 }
    let commit = try environment.write { (transaction) throws(SaveFailure) in
      // The body runs again when the map had to grow: nothing outside of it may change, but for who came late.
      var commit = GroupCommit()
      var appender = try SaveFailure.converting { () throws(StorageError) in
        try TransactionAppender(
          tables, logID: logID, map: map, head: last?.transactionID == transaction.id - 1 ? last?.head : nil,
          transaction.view)
      }
      while commit.results.count < requests.count {
        let request = requests[commit.results.count]
        let plan: SavePlan
        do throws(StoreError) {
          plan = try SavePlan(request, appender.map, tables, transaction.view)
        } catch {
          throw .plan(error)
        }
        try SaveFailure.converting { () throws(StorageError) in
          try append(plan, request, with: &appender, &commit, transaction)
        }
        if commit.results.count == requests.count, requests.count < Self.fullGroup { requests += late() }
      }
      try SaveFailure.converting { () throws(StorageError) in try appender.finish(transaction) }
      commit.last = LastCommit(transactionID: transaction.id, head: appender.head)
      return commit
    }
    // Where nothing was written, LMDB gives the transaction's number to the next one, whoever's that is.
    if !commit.transactions.isEmpty {
      lastCommit.withLock { $0 = commit.last }
      window.extend(with: commit.transactions, transactionID: commit.last.transactionID)
    }
    return commit.results
  }

  /// Writes a save, unless it is refused.
  private func append(
    _ plan: SavePlan, _ request: SaveRequest, with appender: inout TransactionAppender, _ commit: inout GroupCommit,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    if let refusal = plan.refusal { return commit.results.append(.failure(refusal)) }
    let position = try appender.append(plan, request, transaction)
    // In the same commit: no kill finds these edits both in the log and in the draft, or in neither.
    for draft in request.drafts { try consume(draft, transaction) }
    commit.results.append(.success(position))
    if plan.operations.isEmpty { return }
    commit.transactions.append(
      .init(position: position, changes: plan.operations.map { ($0.id, .saved($0.change)) }))
  }

  /// So many saves in a commit that no more are asked to join: those that came first would wait for as long as others
  /// keep coming, and other processes would not get to write.
  private static let fullGroup = 256

  private struct GroupCommit {
    var results: [Result<Position, SaveError>] = []
    var transactions: [VersionWindow.Transaction] = []
    var last = LastCommit(transactionID: 0, head: LogHead(position: 0, hash: .zero, time: 0))
  }
}
