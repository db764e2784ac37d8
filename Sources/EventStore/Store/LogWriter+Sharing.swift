import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension LogWriter {
  /// Group commit of a store that shares its log. The saves are planned over the head behind which the shared log takes
  /// them. So conflicts mean the same as in any store.
  ///
  /// - Returns: The results of the first saves. If the packet is full, the writer commits the rest later.
  package func append(
    _ requests: inout [SaveRequest], to store: Store, through sharing: some LogSharing,
    unless isCancelled: (Int, inout [SaveRequest]) -> Bool, joinedBy late: () -> [SaveRequest]
  ) throws(SaveFailure) -> [Result<AppendedSave, AppendRefusal>] {
    while true {
      let (commit, packet) = try store.environment.write(unless: { isCancelled($0, &requests) }) {
        (transaction) throws(SaveFailure) -> (GroupCommit, (any RehearsedPacket)?) in
        var commit = GroupCommit()
        commit.isLimited = true
        var appender = try appender(for: store, isRehearsal: true, transaction)
        let first = appender.head.position + 1
        try write(&requests, to: store, with: &appender, &commit, transaction, joinedBy: late)
        // Without transactions, only drafts are consumed, and this is committed here.
        if commit.transactions.isEmpty { return (commit, nil) }
        let drafts = zip(requests, commit.results).flatMap { request, result in
          if case .success = result { request.drafts } else { [FrozenDraft]() }
        }
        let journals = drafts.isEmpty ? [] : store.journal.journals
        let derivations = appender.map.derivations
        return try SaveFailure.converting { () throws(StorageError) in
          (
            commit,
            try sharing.packet(
              from: first, derivations: derivations, consuming: drafts, in: journals, transaction.view)
          )
        }
      } committingIf: {
        $0.1 == nil
      }
      guard let packet else { return commit.results }
      switch packet.append() {
      case .applied(let last):
        if let last {
          lastCommit.withLock { $0 = last }
          store.window.extend(with: commit.transactions, transactionID: last.transactionID)
        }
        return commit.results
      case .behind: continue
      case .refused(let error, _): return commit.results.map { $0.unless(error) }
      case .unknown:
        return zip(requests, commit.results).map { $1.unless(.outcomeUnknown(transaction: $0.id)) }
      }
    }
  }
}

extension Result<AppendedSave, AppendRefusal> {
  /// The result of a save whose packet could not be appended. A refusal stays.
  fileprivate func unless(_ error: SaveError) -> Self { flatMap { _ in .failure(.error(error)) } }
}
