import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Proves the store against itself: the hash chain and the checksums of the log; that the objects are what the log
  /// adds up to, byte for byte; that indexes and counts agree with the objects, those too that no model of this
  /// program knows.
  ///
  /// Reads everything once per 500,000 objects, in one snapshot of the last commit: saves go on meanwhile, but the
  /// pages they free are not used again until it ends.
  ///
  /// - Returns: What was checked, and what does not hold. Damage is a finding, not an error.
  /// - Throws: ``StoreError`` if the store cannot be read at all.
  public func verify() async throws(StoreError) -> VerificationReport {
    let result: Result<VerificationReport, StoreError> = await Task.detached { [self] in
      do throws(StoreError) {
        return .success(try verifyNow())
      } catch {
        return .failure(error)
      }
    }.value
    return try result.get()
  }

  package func verifyNow() throws(StoreError) -> VerificationReport {
    try read { (view, head) throws(StoreError) in
      var verifier = Verifier(store: self, head: head)
      try verifier.verifyLog(view)
      try verifier.verifyObjects(view)
      try verifier.verifyIndexes(view)
      return verifier.report
    }
  }
}
