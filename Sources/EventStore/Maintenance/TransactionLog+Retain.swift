import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension TransactionLog {
  /// Truncates the log: drops the transactions before its new ``firstPosition``, and what only they need. What the
  /// store holds now stays as it is: objects, indexes, drafts and screens, the log's other transactions with their
  /// positions, and the proof of all of it. ``StoreMaintenance/verify(_:against:)`` begins at the first position.
  ///
  /// From then on nobody can ask for what was before: a context, a difference, a reversal or a feed that needs a
  /// dropped transaction throws ``StoreError/truncated(path:position:firstPosition:)``, and histories end at the first
  /// position. The state just before it, at `firstPosition - 1`, and all later ones are exact. Undo reaches back to the
  /// first position. The last transaction always stays.
  ///
  /// What still needs older transactions blocks this, and is named by the report; call again when it has gone on:
  ///
  /// - contexts and lists, of this and of other processes, at the position that they show. Other processes say so with
  ///   up to 64 transactions to spare, and only when they next read;
  /// - projections that have not taken up all transactions, whether or not this process has installed them.
  ///   ``StoreMaintenance/rebuild(_:acceptingLoss:)`` removes the rows of one that no program has any more;
  /// - remote sources (`RemoteSource`), at what they have taken up for the server; they note that with up to 4,096
  ///   transactions to spare. A source that is new in the store begins at the first one;
  /// - indexes that are being built;
  /// - clocks that were wrong, if transactions are dropped by age: see ``Retention/younger(than:)``.
  ///
  /// Nothing else does. A draft has in itself what it changes; but if it edits an object whose deletion was dropped,
  /// the other values of that object are gone. A position that a program keeps is the program's: a feed that is
  /// resumed there throws, and a list that is asked what changed since tells a reset. A projection that is new, or of a
  /// new version, cannot be made from a log without its beginning, and says so: install it before.
  ///
  /// Others save meanwhile. Reads the part that is dropped once, the rest once for every 500,000 objects that it
  /// changed, and all objects once, in one snapshot: pages that saves free are not reused during that. Then removes
  /// what is dropped in short commits. Its pages are used by later saves; only
  /// ``StoreMaintenance/compact(_:progress:)`` makes the file shorter. A kill, or a task that is cancelled, before the
  /// first position has moved changes nothing; after that the next opening, or the next call, removes the rest.
  ///
  /// - Parameters:
  ///   - retention: What to keep, at least.
  ///   - progress: Called from a thread of the library, from 0 to 1.
  /// - Throws: ``StoreError``: the store is closed; `otherLog` if the position in ``Retention/from(_:)`` is beyond the
  ///   head, for example after the store was restored from an older backup: nothing is deleted then; `damaged` if log
  ///   and objects do not fit together, so that the new beginning could not be proved, which leaves everything as it
  ///   was; `diskFull` and other failures of the system.
  ///   `CancellationError`.
  @discardableResult
  public func retain(
    _ retention: Retention, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> RetentionReport {
    if case .from(let position) = retention.rule { try requireReached(position) }
    let run = RetentionRun(store, retention, progress)
    let report = try await withTaskCancellationHandler {
      try await SystemThread.run { () throws(StoreError) in try run.run() }
    } onCancel: {
      run.cancel()
    }
    guard let report else { throw CancellationError() }
    return report
  }
}
