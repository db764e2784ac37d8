import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Verifies the store against itself: the hash chain and the checksums of the log; that each value in the log is
  /// valid for its property; that the objects are byte for byte the result of replaying the log; that indexes and
  /// counts agree with the objects; that all blobs are there, and are what their digests say; that checkpointed drafts
  /// and screens are whole; and that no row has a form that the format does not know. Includes entities and indexes for
  /// which this program has no models. Of projections that this process has installed, the rows are made
  /// once more and compared, in memory.
  ///
  /// Of a log whose beginning was dropped (``TransactionLog/retain(_:progress:)``), the objects with the log taken back
  /// must be what the floor has the digest of; of projections it is only verified that their rows can be read.
  ///
  /// Reads everything once per 500,000 objects, in one snapshot of the last commit: saves continue meanwhile, but the
  /// pages they free are not reused until it ends.
  ///
  /// - Parameters:
  ///   - store: An open store. Other processes may have it open as well.
  ///   - kept: A head hash of this store, from any time, kept out of reach of anyone who can change the store. The log
  ///     must still have that transaction at its position. So nothing up to it has changed since, and the log was not
  ///     replaced by an older state. ``TransactionLog/headToken()`` returns one.
  /// - Returns: The amounts verified, and the problems found. Damage is a finding, not an error.
  /// - Throws: ``StoreError`` if the store cannot be read at all.
  public static func verify(_ store: Store, against kept: LogToken? = nil) async throws -> VerificationReport {
    try await SystemThread.run { () throws(StoreError) in try verifyNow(store, against: kept) }
  }

  package static func verifyNow(
    _ store: Store, against kept: LogToken? = nil
  ) throws(StoreError) -> VerificationReport {
    // Where the head cannot be read, the verification tells why.
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
