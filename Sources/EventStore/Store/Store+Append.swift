import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Appends a transaction to the log; see ``SaveRequest``. Saves that begin in one isolation get their places in the
  /// order in which they began.
  nonisolated(nonsending)
    package func save(_ request: SaveRequest) async -> Result<UInt64, SaveError>
  { await writer.save(request, in: self) }

  /// Writes a group of saves in one commit: log, head, indexes and counts together. Each save has a result of its own.
  ///
  /// The order after the commit: the version window and so the head are published first, then the callers learn of it.
  func append(_ requests: [SaveRequest]) throws(SaveFailure) -> [Result<UInt64, SaveError>] {
    if requests.contains(where: \.needsJournal) {
      // What went from drafts above into the context that is saved must be in the file before the log has it, or a
      // kill in between brings those drafts back. If it cannot be written, they come back with edits that change
      // nothing.
      try? journal.write(cutsTurns: false)
    }
    let commit = try environment.write { (transaction) throws(SaveFailure) in
      // The body runs again when the map had to grow: nothing outside of it may change.
      var commit = GroupCommit()
      var appender = try TransactionAppender(tables, path: path, logID: logID, map: map, transaction.view)
      for request in requests {
        do throws(SaveFailure) {
          let plan = try SavePlan(request, appender.map, tables, path: path, transaction.view)
          let position = try appender.append(plan, request, transaction)
          // In the same commit: no kill finds these edits both in the log and in the draft, or in neither.
          if let draft = request.draft { try consume(draft, transaction) }
          commit.results.append(.success(position))
          if !plan.operations.isEmpty {
            commit.transactions.append(
              .init(position: position, changes: plan.operations.map { ($0.id, .saved($0.change)) }))
          }
        } catch {
          guard case .refused(let reason) = error else { throw error }
          commit.results.append(.failure(reason))
        }
      }
      try appender.finish(transaction)
      commit.transactionID = transaction.id
      return commit
    }
    if !commit.transactions.isEmpty {
      window.extend(with: commit.transactions, transactionID: commit.transactionID)
    }
    return commit.results
  }

  private struct GroupCommit {
    var results: [Result<UInt64, SaveError>] = []
    var transactions: [VersionWindow.Transaction] = []
    var transactionID = 0
  }
}
