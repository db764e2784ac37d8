import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Verifies an open store against its own log, and proves that:
  ///
  /// - the checksums and the hash chain of the log are valid,
  /// - each value in the log is valid for its property,
  /// - the objects are byte for byte the result of replaying the log,
  /// - indexes and counts agree with the objects,
  /// - all blobs exist and match their digests,
  /// - checkpointed drafts and screens are whole,
  /// - the after-image of the last commit, if it has one, has the rows of that commit, and
  /// - no row has a form that the format does not know.
  ///
  /// This includes entities and indexes that this program has no models for. Rows of projections that this process has
  /// installed are made once more in memory and compared.
  ///
  /// If ``TransactionLog/retain(_:progress:)`` has dropped the beginning of the log, the call computes the objects at
  /// the beginning of the log, by reverting all transactions. It then compares their digest with the digest that
  /// `retain` recorded. For projections, it only verifies that their rows can be read.
  ///
  /// The call reads everything once per 500,000 objects, in one snapshot of the last commit. Saves continue meanwhile,
  /// but the pages that they free are not reused until it ends.
  ///
  /// - Parameters:
  ///   - store: An open store. Other processes may have it open, too.
  ///   - kept: A head hash that ``TransactionLog/headToken()`` of this store returned at any time. Keep it in a place
  ///     that people who can change the store cannot change. If the log lacks this transaction, or has a different hash
  ///     at its position, the call reports a problem. Otherwise, no transaction up to it has changed, and nobody has
  ///     replaced the log by an older state.
  /// - Returns: The amounts verified, and the problems found. Damage is a finding and not an error.
  /// - Throws: ``StoreError`` if the store cannot be read at all.
  public static func verify(_ store: Store, against kept: LogToken? = nil) async throws -> VerificationReport {
    try await SystemThread.run { () throws(StoreError) in try verifyNow(store, against: kept) }
  }

  package static func verifyNow(
    _ store: Store, against kept: LogToken? = nil
  ) throws(StoreError) -> VerificationReport {
    // If the head cannot be read, the verification reports the reason.
    do throws(StoreError) {
      _ = try store.refreshedHead()
    } catch {
      switch error {
      case .damaged, .transactionsLost, .truncated: break
      default: throw error
      }
    }
    return try StoreError.converting { () throws(StorageError) in
      try store.environment.read { (transaction) throws(StorageError) in
        var verifier = Verifier(store: store, kept: kept)
        try verifier.verify(transaction.view)
        return verifier.report
      }
    }
  }
}
