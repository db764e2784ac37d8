import RepriseLMDB
import RepriseSystem
import RepriseObjectModel

extension Store {
  /// Proves the store against itself: the hash chain and the checksums of the log; that each value in it is one that
  /// its property can hold; that the objects are what the log adds up to, byte for byte; that indexes and counts agree
  /// with the objects, those too that no model of this program knows.
  ///
  /// Reads everything once per 500,000 objects, in one snapshot of the last commit: saves go on meanwhile, but the
  /// pages they free are not used again until it ends.
  ///
  /// - Returns: What was checked, and what does not hold. Damage is a finding, not an error.
  /// - Throws: ``StoreError`` if the store cannot be read at all.
  public func verify() async throws -> VerificationReport { try await verify(against: nil) }

  /// As ``verify()``; and that the log has, at its place, the transaction that ``headHash()`` told of: that since then
  /// nothing before it was changed, and that it was not put back to an older state.
  ///
  /// - Parameter kept: From this store, at any time; kept where who could change the store cannot change it.
  /// - Returns: What was checked, and what does not hold. Damage is a finding, not an error.
  /// - Throws: ``StoreError`` if the store cannot be read at all.
  public func verify(against kept: HeadHash) async throws -> VerificationReport {
    try await verify(against: Optional(kept))
  }

  private func verify(against kept: HeadHash?) async throws(StoreError) -> VerificationReport {
    try await SystemThread.run { () throws(StoreError) in try self.verifyNow(against: kept) }
  }

  package func verifyNow(against kept: HeadHash? = nil) throws(StoreError) -> VerificationReport {
    try read { (view, head) throws(StorageError) in
      var verifier = Verifier(store: self, head: head, kept: kept)
      try verifier.verifyLog(view)
      try verifier.verifyObjects(view)
      try verifier.verifyIndexes(view)
      return verifier.report
    }
  }
}
