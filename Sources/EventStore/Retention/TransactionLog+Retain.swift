import RepriseLMDB
import RepriseObjectModel
import RepriseSystem

extension TransactionLog {
  /// Truncates the log: drops the transactions before its new ``firstPosition``, and the data that only they need. The
  /// present content of the store stays as it is: objects, indexes, drafts, screens, and the remaining transactions
  /// with their positions and their proof. ``StoreMaintenance/verify(_:against:)`` begins at the first position.
  ///
  /// ```swift
  /// let report = try await store.log.retain(.younger(than: .seconds(90 * 24 * 3_600)))
  /// ```
  ///
  /// From then on, a context, a difference, a reversal or a feed that needs a dropped transaction throws
  /// ``StoreError/truncated(path:position:firstPosition:)``. Histories and undo end at the first position. The state
  /// just before it, at `firstPosition - 1`, and all later ones are exact. The last transaction always stays.
  ///
  /// Some things still need older transactions and block the truncation. The report lists them. Call again after they
  /// have advanced:
  ///
  /// - Contexts and lists of all processes, at the position that they show. Another process reports its position only
  ///   when it reads the store, and may report one that is up to 64 transactions too early.
  /// - Projections that have not processed all transactions, whether or not this process has installed them. If no
  ///   program has a projection any more, ``StoreMaintenance/rebuild(_:acceptingLoss:)`` removes its rows.
  /// - Remote sources (`RemoteSource`), at the last transaction that they have processed for the server. A source
  ///   records this position only once per 4,096 transactions. A new source begins at the first transaction.
  /// - Indexes that are being built.
  /// - Clocks that were wrong, if transactions are dropped by age; see ``Retention/younger(than:)``.
  ///
  /// Nothing else blocks `retain`. If a draft edits an object, and `retain` drops the object's deletion, the draft
  /// keeps its own changes. The other values of the object are lost. A token that your program stores does not block
  /// `retain`. A feed resumed after it throws, and a list reports a reset instead of the changes since then. Install a
  /// new projection, or a new version of one, first, because it cannot be made from a truncated log.
  ///
  /// If the store shares its log with other machines, only the store of this machine drops its transactions. Other
  /// servers may keep them.
  ///
  /// Other saves continue meanwhile. The call reads the dropped part once, the rest once for every 500,000 objects that
  /// it changed, and all objects once. It does so in one snapshot, and pages that saves free are not reused meanwhile.
  /// Then it removes the dropped part in short commits. Later saves reuse the pages; only
  /// ``StoreMaintenance/compact(_:progress:)`` makes the file shorter. If the process is killed or the task cancelled
  /// before the first position has moved, nothing changes. After that, the next opening or the next call removes the
  /// rest.
  ///
  /// - Parameters:
  ///   - retention: The transactions to keep.
  ///   - progress: Called on a thread of the library with the finished part, from 0 to 1.
  /// - Throws: ``StoreError``, and nothing is dropped: `closed`, `otherLog` or `damaged`. `otherLog` means that the
  ///   position in ``Retention/from(_:)`` is beyond the head, for example after the store was restored from an older
  ///   backup. `damaged` means that log and objects contradict each other, so the new beginning cannot be proved. After
  ///   `diskFull` and other failures of the system, call again. After `unusable`, close the store and open it first.
  ///   `CancellationError` if the task is cancelled.
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
